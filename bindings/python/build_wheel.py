#!/usr/bin/env python3
"""build_wheel.py LIBRARY FOLDER: the package and the library as a wheel, with nothing but Python's own modules.

The library is called through ctypes, so one wheel serves every Python 3 of the platform. The same input gives the same bytes."""
import base64
import ctypes
import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FORMAT = """Wheel-Version: 1.0
Generator: supple
Root-Is-Purelib: false
Tag: {tag}
"""
METADATA = """Metadata-Version: 2.1
Name: supple
Version: {version}
Summary: Deformers for the skin of rigged characters: layers of flesh, lattices, beams, dual quaternions
License: MIT
Requires-Python: >=3.9
Provides-Extra: arrays
Requires-Dist: numpy ; extra == 'arrays'
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Multimedia :: Graphics :: 3D Modeling
Description-Content-Type: text/markdown

{readme}"""


def platform_tag() -> str:
    machine = platform.machine().lower()
    if sys.platform.startswith("linux"):
        return f"linux_{machine}"
    return re.sub("[^a-z0-9]", "_", {"win32": "win_" + machine, "darwin": "macosx_11_0_" + machine}[sys.platform])


def stripped(library: Path) -> bytes:
    """Without symbols that only a debugger reads."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / library.name
        shutil.copyfile(library, copy)
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", copy], check=True)
        return copy.read_bytes()


def version_of(library: Path) -> str:
    flat = ctypes.CDLL(str(library))
    flat.flat_version.restype = ctypes.c_char_p
    return flat.flat_version().decode()


def package_files(library: Path) -> dict:
    """What `import supple` needs, by its path in a site-packages folder."""
    files = {f"supple/{p.name}": p.read_bytes() for p in sorted((HERE / "supple").iterdir()) if p.suffix in (".py", ".typed")}
    files["supple/" + re.sub(r"\.so[.0-9]*$", ".so", library.name)] = stripped(library)
    return files


def add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def build(library: Path, folder: Path) -> Path:
    version, tag = version_of(library), f"py3-none-{platform_tag()}"
    about = f"supple-{version}.dist-info"
    files = package_files(library)
    files[f"{about}/METADATA"] = METADATA.format(version=version, readme=(HERE / "README.md").read_text("utf-8")).encode()
    files[f"{about}/WHEEL"] = FORMAT.format(tag=tag).encode()
    files[f"{about}/LICENSE"] = (HERE.parents[1] / "LICENSE").read_bytes()
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    files[f"{about}/RECORD"] = ("".join(rows) + f"{about}/RECORD,,\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"supple-{version}-{tag}.whl"
    part = target.with_suffix(".part")
    with zipfile.ZipFile(part, "w") as archive:
        for name, data in files.items():
            add(archive, name, data)
    part.replace(target)
    return target


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: build_wheel.py LIBRARY FOLDER")
    made = build(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
    print(f"{made} ({made.stat().st_size / 1e6:.1f} MB)")

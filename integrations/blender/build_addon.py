#!/usr/bin/env python3
"""build_addon.py LIBRARY FOLDER: the add-on with the Python package inside, as a zip that Blender installs.

The files lie in one folder of the zip: add-ons before Blender 4.2 demand it, and extensions allow it."""
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bindings" / "python"))
import build_wheel  # noqa: E402


def check_versions(version: str) -> None:
    """The two places that Blender reads a version from agree with the library."""
    source, manifest = ((HERE / "supple_skin" / name).read_text("utf-8") for name in ("__init__.py", "blender_manifest.toml"))
    if f'"version": ({version.replace(".", ", ")})' not in source or f'\nversion = "{version}"' not in manifest:
        sys.exit(f"the library is {version}; write that into bl_info of __init__.py and into blender_manifest.toml")


def build(library: Path, folder: Path) -> Path:
    check_versions(build_wheel.version_of(library))
    system = build_wheel.platform_tag().replace("linux_x86_64", "linux-x64").replace("win_amd64", "windows-x64")
    target = folder / f"supple_skin-{build_wheel.version_of(library)}-{system}.zip"
    folder.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    with zipfile.ZipFile(part, "w") as archive:
        for source in sorted((HERE / "supple_skin").iterdir()):
            if source.suffix in (".py", ".toml"):
                build_wheel.add(archive, f"supple_skin/{source.name}", source.read_bytes())
        for name, data in build_wheel.package_files(library).items():
            build_wheel.add(archive, f"supple_skin/{name}", data)
        build_wheel.add(archive, "supple_skin/LICENSE", (HERE.parents[1] / "LICENSE").read_bytes())
    part.replace(target)
    return target


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: build_addon.py LIBRARY FOLDER")
    made = build(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
    print(f"{made} ({made.stat().st_size / 1e6:.1f} MB); in Blender: Edit > Preferences > Add-ons > Install")

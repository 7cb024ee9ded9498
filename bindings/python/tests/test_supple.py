"""The Python package from outside: the command line's bits, and no wrong call that does more than raise."""
import array
import gc
import json
import os
import subprocess
import sys
import threading

import pytest

import supple

numpy = pytest.importorskip("numpy")

PROGRAM = os.environ.get("SUPPLE_PROGRAM", "")
needs_program = pytest.mark.skipif(not PROGRAM, reason="SUPPLE_PROGRAM is not set")
ARM = "builtin:arm?points=300"


@pytest.fixture()
def arm():
    return supple.load(ARM)


def program(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ------------------------------------------------------------------------------------------------ the command line's bits


@needs_program
@pytest.mark.parametrize("deformer", [d["name"] for d in supple.deformers()])
def test_every_deformer_has_the_bits_of_the_command_line(arm, deformer, tmp_path):
    said = program("bake", ARM, str(tmp_path / "o.npy"), "--clip", "flex", "--deform", deformer, "--fps", "12", "--hashes",
                   "--json", "--no-verdict", "--quiet")  # fmt: skip
    baked = arm.chain(deformer).bake(clip="flex", fps=12)
    assert baked.hashes == said["hashes"]
    assert baked.hash == said["hash"]
    assert numpy.array_equal(baked.points, numpy.load(tmp_path / "o.npy"))


@needs_program
def test_settings_worlds_presets_and_loops_are_those_of_the_command_line(arm, tmp_path):
    world = {"gravity": [0, -20, 0], "bodies": [{"name": "ball", "mesh": "ball.obj", "keys": [{"time": 0, "move": [0.3, 0, 0]}]}]}
    (tmp_path / "ball.obj").write_text("v 0 0 0\nv .02 0 0\nv 0 .02 0\nv 0 0 .02\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    (tmp_path / "world.json").write_text(json.dumps(world))
    preset = {"supple": 1, "links": [{"name": "dualquat"}, {"name": "layers", "set": {"stiffness_fat": 0.3}}]}
    (tmp_path / "preset.json").write_text(json.dumps(preset))
    said = program("bake", ARM, str(tmp_path / "o.npy"), "--clip", "wave", "--preset", str(tmp_path / "preset.json"), "--world",
                   str(tmp_path / "world.json"), "--set", "layers.damping=0.2", "--loop", "--fps", "10", "--json", "--no-verdict",
                   "--quiet")  # fmt: skip
    chain = arm.chain(preset=tmp_path / "preset.json", world=tmp_path / "world.json", set={"layers.damping": 0.2})
    baked = chain.bake(clip="wave", fps=10, loop=True)
    assert baked.hash == said["hash"]
    player = chain.play("wave", loop=True)
    assert player.frame_count(10) == len(baked)
    assert [hash_of(player, f) for f in player.frames(10)] == baked.hashes


def hash_of(player, frame):
    return player.hash


@needs_program
@pytest.mark.parametrize("ending", ["glb", "pc2", "mdd", "npy", "usda"])
def test_files_are_those_of_the_command_line(arm, ending, tmp_path):
    program("bake", ARM, str(tmp_path / f"a.{ending}"), "--clip", "flex", "--deform", "dualquat", "--end", "0.2", "--json")
    chain = arm.chain("dualquat")
    chain.bake(tmp_path / f"b.{ending}", clip="flex", end=0.2)
    in_memory = chain.bake(f"b.{ending}", clip="flex", end=0.2, memory=True)
    wanted = (tmp_path / f"a.{ending}").read_bytes()
    assert (tmp_path / f"b.{ending}").read_bytes() == wanted
    assert in_memory.files == {f"b.{ending}": wanted}
    with pytest.raises(supple.InputError, match="went to a file"):
        in_memory[0]


# ------------------------------------------------------------------------------------------------ arrays


def test_frames_are_views(arm):
    player = arm.chain("dualquat").play("flex")
    first = player.evaluate(0.1)
    kept = first.copy()
    assert player.evaluate(0.6) is first and not numpy.array_equal(first, kept)
    assert player.evaluate(0.1) is first and numpy.array_equal(first, kept)
    assert not first.flags.writeable and not arm.points.flags.writeable
    baked = arm.chain("dualquat").bake(clip="flex", fps=10)
    assert baked.points.shape == (11, len(arm.points), 3)
    assert numpy.array_equal(baked[1], kept) and len(list(baked)) == len(baked) == 11
    assert baked.points.base is not None and numpy.shares_memory(baked[3], baked.points)


def test_views_keep_what_they_look_at():
    points = supple.load(ARM).chain("linear").bake(clip="flex").points
    gc.collect()
    other = [supple.load(ARM).chain("linear").bake(clip="wave") for _ in range(3)]
    assert numpy.isfinite(points).all() and len(other) == 3


def test_a_character_from_arrays_moves_like_its_source(arm):
    flex = arm.chain().play("flex")
    local = numpy.stack([(flex.evaluate(float(numpy.float32(i / 30))), flex.local.copy())[1] for i in range(31)])
    copy = supple.character(arm.points, arm.faces, joints=[(j.name, None if j.parent < 0 else j.parent) for j in arm.joints],
                            rest=arm.rest, inverse_bind=arm.inverse_bind, weights=arm.weights, name="copy")  # fmt: skip
    copy.add_clip("flex", local, fps=30)
    time = float(numpy.float32(0.3))
    for links in ("dualquat", "dualquat,smooth"):
        assert numpy.array_equal(copy.chain(links).play("flex").evaluate(time), arm.chain(links).play("flex").evaluate(time))
    again = supple.load_bytes("copy.glb", copy.to_bytes())
    assert again.clips[0].name == "flex" and len(again.points) == len(copy.points)


def test_weights_come_in_three_ways(arm):
    joints = [(j.name, None if j.parent < 0 else arm.joints[j.parent].name) for j in arm.joints]
    begin, of, values = arm.weights
    dense = numpy.zeros((len(arm.points), len(joints)), numpy.float32)
    for p in range(len(dense)):
        dense[p, of[begin[p] : begin[p + 1]]] = values[begin[p] : begin[p + 1]]
    for weights in (dense, dense.tolist()):
        made = supple.character(arm.points, arm.triangles, joints=joints, rest=arm.rest, weights=weights)
        assert numpy.array_equal(made.weights[2], values)
    made = supple.character(arm.points.tolist(), arm.triangles.tolist(), joints=joints, rest=arm.rest, weights="automatic")
    assert len(made.weights[2]) > len(dense)
    with pytest.raises(supple.InputError, match="weights have the shape"):
        supple.character(arm.points, arm.triangles, joints=joints, rest=arm.rest, weights=dense[:, 1:])


def test_an_implausible_size_is_judged_unless_the_unit_is_given(arm):
    giant = supple.character(arm.points * 100, arm.faces)
    assert any("physics assumes" in w for w in giant.warnings)
    assert not supple.character(arm.points * 100, arm.faces, unit=1).warnings


def test_weights_that_are_set_come_back_from_a_file_to_the_bit(arm, tmp_path):
    arm.save(tmp_path / "arm.glb")
    own = supple.load(tmp_path / "arm.glb")
    before = own.chain("linear").bake(clip="flex", fps=2).hashes
    dense = numpy.random.default_rng(1).random((len(own.points), len(own.inspect()["joints"])), dtype="f")
    dense[:, [not joint["skin"] for joint in own.inspect()["joints"]]] = 0
    own.set_weights(dense)
    hashes = own.chain("linear").bake(clip="flex", fps=2).hashes
    assert hashes != before
    own.save(tmp_path / "again.glb")
    assert supple.load(tmp_path / "again.glb").chain("linear").bake(clip="flex", fps=2).hashes == hashes
    with pytest.raises(supple.InputError, match="in begin"):
        own.set_weights(([0], [0], [1.0]))


def test_maps_go_in_and_out(arm):
    assert list(arm.maps) == []
    before = arm.chain("dualquat").bake(clip="flex", fps=2).hashes
    arm.maps["dualquat_blend"] = numpy.linspace(-1, 1, len(arm.points))
    assert list(arm.maps) == ["_DUALQUAT_BLEND"] and len(arm.maps) == 1 and "dualquat_blend" in arm.maps
    assert arm.maps["dualquat_blend"].min() == 0 and arm.maps["_DUALQUAT_BLEND"].max() == 1
    assert arm.chain("dualquat").bake(clip="flex", fps=2).hashes != before
    arm.maps["stiffness"] = array.array("f", [0.5]) * len(arm.points)
    arm.maps["stiffness"] = [1] * len(arm.points)
    with pytest.raises(KeyError):
        arm.maps["nothing"]
    with pytest.raises(supple.InputError, match="give 1 for each"):
        arm.maps["stiffness"] = [1, 2, 3]
    with pytest.raises(supple.InputError, match="map 'stiffness'"):
        arm.maps["stiffness"] = ["soft"] * len(arm.points)


def test_sculpts_are_learned_from(arm):
    arm.clear_examples()
    with pytest.raises(supple.InputError):
        arm.chain("beam").bake(clip="flex")
    linear = arm.chain().bake(clip="flex", fps=2)
    for time, points in ((0, linear[0]), (1, linear[2] * numpy.float32(1.02))):
        arm.add_example(points, time, clip="flex")
    assert [e.time for e in arm.examples] == [0, 1]
    assert numpy.allclose(arm.chain("beam").bake(clip="flex", fps=1)[1], linear[2] * 1.02, atol=1e-5)


# ------------------------------------------------------------------------------------------------ playing, measuring, fitting


def test_a_live_host_moves_the_joints(arm):
    chain = arm.chain("dualquat")
    still, live = chain.play(False), chain.live()
    still.evaluate(0)
    local = still.local.copy()
    assert numpy.array_equal(live.step(0.02, local), still.points)
    local[0, 0] += 0.5
    assert not numpy.array_equal(live.step(0.02, local, teleport=True), still.points)
    with pytest.raises(supple.InputError, match="take 40 floats"):
        live.step(0.02, local[1:])
    local[1, 3] = numpy.inf
    with pytest.raises(supple.InputError, match="not finite"):
        live.step(0.02, local)


def test_parameters_change_while_playing(arm):
    player = arm.chain("dualquat").play("flex")
    before = player.evaluate(0.8).copy()
    player.set("dualquat.blend", 0)
    assert not numpy.array_equal(player.evaluate(0.8), before)
    for name, value in (("dualquat.nothing", 1), ("nothing", 1), ("dualquat.blend", 7)):
        with pytest.raises(supple.InputError):
            player.set(name, value)


def test_frames_are_measured(arm):
    player = arm.chain("linear").play("flex")
    with pytest.raises(supple.InputError, match="no frame"):
        player.measure()
    points = player.evaluate(1.0)
    seen = player.measure()
    assert seen["volume"] < seen["volume_rest"] and seen["stretch"] > 1
    assert player.errors(points)["max"] == 0 and player.errors(points + numpy.float32(1))["rms"] == pytest.approx(3**0.5, rel=1e-4)
    assert player.stretch().shape == player.roughness().shape == (len(points),)
    assert numpy.allclose(numpy.linalg.norm(player.normals(), axis=1), 1, atol=1e-5)
    assert player.ripples().size == 0
    folds = arm.chain("linear,wrinkle").play("flex")
    folds.evaluate(1.0)
    ripples = folds.ripples()
    assert len(ripples) == len(points) and ripples.shape[2] == 6 and (ripples[:, :, 5] != 0).any()
    rows = arm.chain("dualquat").measure("flex", fps=4)
    assert list(rows["time"]) == [0, 0.25, 0.5, 0.75, 1] and (rows["volume"] > 0).all()
    layers = arm.chain("layers").play("flex")
    layers.evaluate(0)
    assert sum(len(v) for v in layers.draw(1).values() if v is not None) > 0


def test_shapes_become_a_rig(arm):
    baked = arm.chain("linear").bake(clip="flex", fps=10)
    rig = arm.fit(baked.points, bones=4, fps=10)
    assert rig.inspect()["fit"]["erms"] < 5 and rig.clips[0].name == "fit"
    assert numpy.abs(rig.chain().bake(clip="fit", fps=10).points - baked.points).max() < 0.05
    with pytest.raises(supple.InputError, match="floats per frame"):
        arm.fit(baked.points[:, 1:])


# ------------------------------------------------------------------------------------------------ what goes wrong


def test_mistakes_are_sentences(arm, tmp_path):
    with pytest.raises(supple.FileError, match="no/such.glb"):
        supple.load("no/such.glb")
    with pytest.raises(supple.InputError, match="did you mean 'layers'"):
        arm.chain("layer").bake()
    with pytest.raises(supple.InputError, match="no clip 'x'"):
        arm.chain().play("x")
    with pytest.raises(supple.InputError, match="after its end"):
        arm.chain().bake(start=0.5, end=0.2)
    with pytest.raises(supple.FileError, match="folder does not exist"):
        arm.chain().bake(tmp_path / "none" / "x.glb")
    with pytest.raises(supple.FileError, match="cannot read the world"):
        arm.chain(world=tmp_path / "none.json")
    with pytest.raises(supple.FileError, match="cannot write"):
        arm.save(tmp_path / "none" / "x.glb")
    with pytest.raises(supple.InputError, match="zero byte"):
        supple.load("a\0b")
    with pytest.raises(supple.InputError, match="finite number of seconds"):
        arm.chain().play("flex").evaluate(float("nan"))
    with pytest.raises(supple.InputError):
        arm.chain().bake(fps=float("inf"))
    with pytest.raises(supple.InputError, match="negative"):
        supple.character(arm.points, -numpy.ones((2, 3), int))
    with pytest.raises(supple.InputError, match="uses vertex"):
        supple.character(arm.points, [[0, 1, 99999]])
    assert issubclass(supple.InputError, ValueError) and issubclass(supple.FileError, OSError)


def test_progress_cancels_and_its_exceptions_arrive(arm):
    seen = []

    def stop(fraction, what):
        seen.append(fraction)
        return fraction < 0.5

    with pytest.raises(supple.Cancelled):
        arm.chain("dualquat").bake(progress=stop)
    assert len(seen) > 5 and seen == sorted(seen)

    def broken(fraction, what):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        arm.chain("layers").bake(progress=broken)
    with pytest.raises(KeyError, match="mine"):
        supple.load(ARM).chain("dualquat").bake(progress=broken)
    arm.chain("dualquat").bake(progress=lambda *_: None)  # None goes on


def test_a_second_thread_is_an_exception_and_never_a_crash(arm):
    player = arm.chain("layers").play("wave")
    odd = []

    def hammer():
        for i in range(60):
            try:
                player.evaluate(0.01 * i)
                player.hash
            except supple.Busy:
                pass
            except Exception as error:
                odd.append(error)

    threads = [threading.Thread(target=hammer) for _ in range(3)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not odd


def test_players_of_one_chain_run_in_threads(arm):
    chain = arm.chain("dualquat,smooth")
    wanted = chain.bake(clip="flex").hashes
    got = {}

    def run(key):
        got[key] = [hash_of(p, f) for p in [players[key]] for f in p.frames()]

    players = [chain.play("flex") for _ in range(3)]
    threads = [threading.Thread(target=run, args=(i,)) for i in range(3)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert all(got[i] == wanted for i in range(3))


def test_threads_may_ask_one_object_at_once(arm):
    chain, wrong = arm.chain("dualquat,smooth"), []
    wanted = (arm.inspect(), chain.describe())

    def ask():
        try:
            wrong.extend(1 for _ in range(300) if (arm.inspect(), chain.describe()) != wanted)
        except supple.Error as error:
            wrong.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_is_told_rather_than_hung(arm):
    player = arm.chain("linear").play("flex")
    code = os.fork()
    if code == 0:
        try:
            player.evaluate(0)
        except supple.Error as error:
            fresh = supple.load(ARM).chain("linear").bake(clip="flex", fps=2)
            os._exit(0 if "fork" in str(error) and len(fresh) == 3 else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(code, 0)[1]) == 0


def test_another_library_is_refused(tmp_path):
    def run(path):
        environment = {**os.environ, "SUPPLE_FLAT": str(path), "PYTHONPATH": os.path.dirname(os.path.dirname(supple.__file__))}
        done = subprocess.run([sys.executable, "-c", "import supple"], capture_output=True, text=True, env=environment)
        return done.stderr.strip().splitlines()[-1]

    assert "there is no library at" in run(tmp_path / "none.so")
    other = tmp_path / "other.c"
    for code, words in (("unsigned flat_abi(void) { return 99; }", "has interface 99"), ("int nothing;", "another library")):
        other.write_text(code + "\n")
        if subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "other.so", other], capture_output=True).returncode:
            pytest.skip("no compiler to make a wrong library with")
        assert words in run(tmp_path / "other.so")


def test_the_wheel_is_whole_and_always_the_same(tmp_path):
    import base64, hashlib, zipfile  # noqa: E401
    from pathlib import Path

    sys.path.insert(0, os.path.dirname(os.path.dirname(supple.__file__)))
    import build_wheel

    library = Path(supple.lib._name).resolve()
    first, second = build_wheel.build(library, tmp_path / "a"), build_wheel.build(library, tmp_path / "b")
    assert first.read_bytes() == second.read_bytes() and first.name.startswith(f"supple-{supple.__version__}-py3-none-")
    with zipfile.ZipFile(first) as wheel:
        record = [line.split(",") for line in wheel.read(f"supple-{supple.__version__}.dist-info/RECORD").decode().splitlines()]
        assert sorted(row[0] for row in record) == sorted(wheel.namelist())
        for name, digest, size in record:
            if digest:
                data = wheel.read(name)
                assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                assert len(data) == int(size)
        wheel.extractall(tmp_path / "site")
    environment = {k: v for k, v in os.environ.items() if k != "SUPPLE_FLAT"}
    code = "import supple; print(supple.load('builtin:arm?points=300').chain('dualquat').bake(clip='flex', fps=10).hash)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path,
                          env={**environment, "PYTHONPATH": str(tmp_path / "site")})  # fmt: skip
    assert done.stdout.strip() == supple.load(ARM).chain("dualquat").bake(clip="flex", fps=10).hash, done.stderr


@needs_program
def test_motion_weights_and_the_doctor(tmp_path):
    arm, beast = supple.load("builtin:arm?points=300"), supple.load("builtin:beast?points=1000")
    report = beast.add_motion("twin.glb", beast.to_bytes(), name="again", clip="walk")
    assert report["clip"] == "again" and report["guessed"] == 0 and {p["by"] for p in report["pairs"]} == {"name"}
    assert "again" in [c.name for c in beast.clips]
    path = tmp_path / "twin.glb"
    beast.save(path)
    assert beast.add_motion(path, name="from a file", clip="walk")["pairs"] == report["pairs"]
    with pytest.raises(supple.InputError, match="another"):
        beast.add_motion(path, name="again", clip="walk")
    with pytest.raises(supple.FileError):
        beast.add_motion(tmp_path / "nothing.bvh")

    weighed = arm.weigh(influences=2)
    assert weighed.inspect()["weights"]["influences_max"] <= 2 and [c.name for c in weighed.clips] == [c.name for c in arm.clips]
    with pytest.raises(supple.Cancelled):
        beast.weigh(progress=lambda *_: False)

    said = json.loads(subprocess.run([PROGRAM, "check", "builtin:arm?points=300", "--joint", "forearm", "--deform", "linear",
                                      "--deform", "dualquat", "--json", "--quiet"], capture_output=True, text=True).stdout)  # fmt: skip
    told = []
    seen = arm.check(["linear", "dualquat"], joints=["forearm"], progress=lambda *step: told.append(step))
    assert seen["joints"] == said["joints"] and told
    assert arm.chain("dualquat").check(joints="forearm", beside=["linear"])["joints"] == said["joints"]
    with pytest.raises(supple.Cancelled):
        arm.check(progress=lambda *_: False)
    with pytest.raises(ZeroDivisionError):
        arm.check(progress=lambda *_: 1 / 0)

    player = arm.chain("layers").play("flex")
    first = player.evaluate(0.0).copy()
    player.evaluate(0.5)
    far = player.distance(first)
    assert far.shape == (len(first),) and numpy.allclose(far, numpy.linalg.norm(player.points - first, axis=1), atol=1e-6)
    assert player.weight("forearm").max() == 1 and abs(player.volume()).max() > 0
    with pytest.raises(supple.InputError, match="nobody"):
        player.weight("nobody")


def test_without_numpy_arrays_are_memoryviews(tmp_path):
    code = """
import sys
sys.modules["numpy"] = None
import array, supple
arm = supple.load("builtin:arm?points=300")
baked = arm.chain("dualquat").bake(clip="flex", fps=10)
points = arm.points
assert isinstance(points, memoryview) and points.shape[1] == 3 and points.readonly
assert baked[3].shape == points.shape and baked[3].tolist() == baked.points.tolist()[3] and len(list(baked)) == 11
arm.maps["stiffness"] = [0.5] * len(points)
assert arm.maps["stiffness"].tolist() == [0.5] * len(points)
copy = supple.character(points, arm.triangles, joints=[(j.name, None if j.parent < 0 else j.parent) for j in arm.joints],
                        rest=arm.rest, weights=tuple(w.tolist() for w in arm.weights))
assert copy.points.tolist() == points.tolist()
player = arm.chain().play("flex")
player.evaluate(0.5)
live = arm.chain().live()
live.step(0.01, player.local)
assert live.points.tolist() == player.points.tolist() and len(player.stretch()) == len(points) and player.normals().shape[1] == 3
print(baked.hash, arm.chain().measure("flex", fps=2)["volume"][0] > 0)
"""
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(supple.__file__))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [supple.load(ARM).chain("dualquat").bake(clip="flex", fps=10).hash, "True"]


def test_a_frame_costs_less_than_a_tenth_of_a_millisecond(arm):
    """Through Python, on a character that takes no time itself. Points are not copied, so their number does not matter."""
    import time

    player = arm.chain("linear").play("flex")
    best = 1.0
    for _ in range(10):
        begin = time.perf_counter()
        for i in range(100):
            player.evaluate(0.005 * i)
        best = min(best, (time.perf_counter() - begin) / 100)
    assert best < 1e-4


def test_what_is_not_a_number_is_named():
    player = supple.load("builtin:arm?points=200").chain("linear").play("flex")
    for call in (lambda: player.evaluate(None), lambda: player.evaluate("soon"), lambda: player.set("linear.x", "much"), lambda: player.hold([])):
        with pytest.raises(supple.InputError, match="must be a number"):
            call()
    with pytest.raises(supple.InputError, match="finite"):
        player.evaluate(10**400)
    for threads in (-1, 10**9):
        with pytest.raises(supple.InputError, match="1 to 256 threads"):
            supple.Session(threads=threads)
    with pytest.raises(supple.InputError, match="ending of .abc."):
        supple.load(b"abc")

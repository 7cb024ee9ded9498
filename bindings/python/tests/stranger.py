"""What a stranger does first with the wheel, in a Python without numpy. stranger.py HASH: that of the same bake by the program."""

import os
import sys

import supple

assert "numpy" not in sys.modules and os.path.dirname(supple.__file__).startswith(sys.prefix)
supple.load("builtin:beast?points=2000").save("beast.glb")
beast = supple.load("beast.glb")
walk = beast.chain("layers").bake(clip="walk", fps=12, end=0.25)
assert isinstance(walk.points, memoryview) and len(walk) == 4
built = supple.load("builtin:beast?points=2000").chain("layers").bake(clip="walk", fps=12, end=0.25)
assert built.hash == sys.argv[1], (built.hash, sys.argv[1])

player, frames = beast.chain("dualquat,smooth", set={"smooth.step": 0.4}).play("walk"), 0
for frame in player.frames(fps=10):
    frames += 1
    assert player.measure()["volume"] > 0
assert frames == 13 and len(list(player.stretch())) == len(beast.points)
beast.maps["stiffness"] = [0.5] * len(beast.points)
assert beast.maps["stiffness"][3] == 0.5
assert set(beast.chain("linear").bake("a.glb", memory=True, clip="walk", end=0.1).files) == {"a.glb"} and not os.path.exists("a.glb")
assert beast.fit(walk.points, bones=4).joints


def refused(call, kind, words):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{words}: not refused")


refused(lambda: supple.load("nothing.glb"), OSError, "nothing.glb")
refused(lambda: beast.chain("layer").play("walk"), ValueError, "did you mean 'layers'")
refused(lambda: beast.chain(["linear"]).play("walk"), ValueError, "'links' must be text")
refused(lambda: beast.maps.__setitem__("x", [1.0]), ValueError, "2036 points")
refused(lambda: player.evaluate(float("nan")), ValueError, "finite")
refused(lambda: beast.chain("lattice").play("walk").evaluate(500), ValueError, "times are seconds")
refused(lambda: beast.chain("layers").bake(clip="walk", progress=lambda fraction, what: False), supple.Cancelled, "")
print("Python %d.%d: as the program" % sys.version_info[:2])

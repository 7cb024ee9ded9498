"""How much of its volume a part of a character keeps, frame by frame, under three chains.

    python3 volume_over_time.py [FILE [CLIP [PICTURE]]]

Cells are marked as notebooks and editors know them (# %%). Needs numpy and matplotlib."""

# %% The character, and the chains that are to be compared
import sys

import matplotlib

import supple

FILE = sys.argv[1] if len(sys.argv) > 1 else "builtin:arm"
CLIP = sys.argv[2] if len(sys.argv) > 2 else None  # the first of the file
PICTURE = sys.argv[3] if len(sys.argv) > 3 else "volume_over_time.png"
CHAINS = ["linear", "dualquat", "layers"]

character = supple.load(FILE)
print(character)

# %% Every frame under every chain: the volume of each part around a joint, against rest
FPS = 30
shares = {}
for links in CHAINS:
    player = character.chain(links).play(CLIP)
    rows = []
    for frame in player.frames(FPS):
        seen = player.measure()
        rows.append((frame.time, {p["name"]: p["volume"] / p["volume_rest"] for p in seen["parts"] if p["volume_rest"]}))
    shares[links] = rows
    print(f"{links}: {len(rows)} frames")

# %% The part that linear skinning treats worst
worst = min(shares["linear"][0][1], key=lambda part: min(row[part] for _, row in shares["linear"]))

# %% The plot
matplotlib.use("Agg")
import matplotlib.pyplot as plot  # noqa: E402

figure, axes = plot.subplots(figsize=(7, 3.6))
for links in CHAINS:
    axes.plot([time for time, _ in shares[links]], [100 * row[worst] for _, row in shares[links]], label=links)
axes.axhline(100, color="gray", linewidth=0.8, linestyle=":")
axes.set(xlabel="seconds", ylabel="volume in % of rest", title=f"Volume around '{worst}', {character.name}")
axes.legend(frameon=False)
figure.tight_layout()
figure.savefig(PICTURE, dpi=90)
print(f"the picture is in {PICTURE}")

#!/usr/bin/env python3
# An independent check against structural mechanics: the strip that is held at one end, by finite differences and Newmark's
# rule, written for this test alone. Opt-in: python3 tests/strip/check.py build/tests/test_fourier_series
import subprocess, sys

def solve(bands, b):
    """Gauss elimination on rows of five: bands[i][k] multiplies x[i + k - 2]."""
    n = len(b)
    a = [row[:] for row in bands]
    b = b[:]
    for i in range(n):
        for j in range(i + 1, min(i + 3, n)):
            k = 2 - (j - i)
            f = a[j][k] / a[i][2]
            if f == 0.0:
                continue
            for c in range(5):
                t = i + c - 2 - j + 2
                if c >= 2 and 0 <= t < 5:
                    a[j][t] -= f * a[i][c]
            b[j] -= f * b[i]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for c in (3, 4):
            if i + c - 2 < n:
                s -= a[i][c] * x[i + c - 2]
        x[i] = s / a[i][2]
    return x

def stiffness(order, n, beta):
    """Rows for nodes 1..n (node 0 is held); the far end is free."""
    h = 1.0 / n
    rows = [[0.0] * 5 for _ in range(n)]
    def put(i, j, v):
        if 0 <= j < n:
            rows[i][j - i + 2] += v
    for i in range(n):
        if order == 2:
            for j, v in ((i - 1, -1.0), (i, 2.0), (i + 1, -1.0)):
                if j == n:
                    put(i, i - 1, v)  # u' = 0: mirrored
                else:
                    put(i, j, v * 1.0)
            for k in range(5):
                rows[i][k] *= beta / h ** 2
        else:
            if i < n - 2:
                pattern = [(i - 2, 1.0), (i - 1, -4.0), (i, 6.0), (i + 1, -4.0), (i + 2, 1.0)]
                if i == 0:
                    pattern[2] = (i, 7.0)  # slope 0 at the held end
            elif i == n - 2:
                pattern = [(i - 2, 1.0), (i - 1, -4.0), (i, 5.0), (i + 1, -2.0)]
            else:
                pattern = [(i - 2, 2.0), (i - 1, -4.0), (i, 2.0)]  # moment and shear 0
            for j, v in pattern:
                put(i, j, v * beta / h ** 4)
    return rows

def end(order, density, damping, young, poisson, time, n=160, steps=1500):
    beta = young * 0.1 ** 3 / (12 * (1 - poisson ** 2))
    k = stiffness(order, n, beta)
    dt = time / steps
    u, v, a = [0.0] * n, [0.0] * n, [0.0] * n
    m = [row[:] for row in k]
    for i in range(n):
        for c in range(5):
            m[i][c] *= 0.25 * dt * dt
        m[i][2] += density + 0.5 * dt * damping
    for s in range(1, steps + 1):
        f = s * dt
        up = [u[i] + dt * v[i] + 0.25 * dt * dt * a[i] for i in range(n)]
        vp = [v[i] + 0.5 * dt * a[i] for i in range(n)]
        right = []
        for i in range(n):
            r = f - damping * vp[i]
            for c in range(5):
                j = i + c - 2
                if 0 <= j < n:
                    r -= k[i][c] * up[j]
            right.append(r)
        a = solve(m, right)
        u = [up[i] + 0.25 * dt * dt * a[i] for i in range(n)]
        v = [vp[i] + 0.5 * dt * a[i] for i in range(n)]
    return u[-1]

worst = 0.0
for order in (2, 4):
    for setting in ((1, 0.5, 1e5, 0.3), (4, 0.5, 1e5, 0.3), (1, 50, 1e5, 0.3), (1, 5, 4e5, 0.45)):
        args = [str(order)] + [str(x) for x in setting] + ["1"]
        ours = float(subprocess.run([sys.argv[1]] + args, capture_output=True, text=True, check=True).stdout)
        fine = end(order, *setting, 1.0, n=80, steps=600)
        off = abs(ours / fine - 1)
        worst = max(worst, off)
        print(f"order {order} {setting}: ours {ours:.6e}, finite differences {fine:.6e}, off by {100 * off:.2f}%")
print("worst", f"{100 * worst:.2f}%")
sys.exit(worst > 0.01)

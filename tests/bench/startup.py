#!/usr/bin/python3
"""Wall time of whole processes: tt --version, and tt einsum on two 64x64 .npy files; an A/A null arm beside
each. Prints median, minimum and the spread of 40 runs each, interleaved.

    TT=build/tt /usr/bin/python3 tests/bench/startup.py
"""
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np

TT = os.path.abspath(os.environ["TT"])
RUNS = 40


def wall(args, cwd):
    start = time.perf_counter()
    subprocess.run([TT, *args], cwd=cwd, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1e3


with tempfile.TemporaryDirectory() as d:
    np.save(d + "/a.npy", np.ones((64, 64)))
    np.save(d + "/b.npy", np.ones((64, 64)))
    with_h5 = ["convert", "a.npy", "c.h5:/x"]
    subprocess.run([TT, *with_h5], cwd=d, check=True)
    job = ["einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "c.npy"]
    arms = {"tt --version": ["--version"], "tt --version (null)": ["--version"],
            "einsum 64x64 npy": job, "einsum 64x64 npy (null)": job,
            "einsum 64x64 h5": ["einsum", "ij,jk->ik", "c.h5", "b.npy", "-o", "d.npy"]}
    times = {name: [] for name in arms}
    for _ in range(RUNS):
        for name, args in arms.items():
            times[name].append(wall(args, d))
    for name, t in times.items():
        t.sort()
        print("%-26s median %.2f ms  min %.2f  p90 %.2f" % (name, statistics.median(t), t[0], t[int(RUNS * 0.9)]))

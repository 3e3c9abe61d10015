#!/usr/bin/python3
"""seconds.compute of whole commands: tt matmul with 1 and 2 threads, and 1 again as the null arm, interleaved.
Prints the median of the ratios run by run, and their spread.

    TT=build/tt /usr/bin/python3 tests/bench/threads.py [RUNS]
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

TT = os.path.abspath(os.environ["TT"])
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 11


def compute_seconds(threads, cwd):
    subprocess.run([TT, "matmul", "a.npy", "b.npy", "-o", "c.npy", "--threads", str(threads), "--stats-out", "s.json"],
                   cwd=cwd, check=True)
    with open(os.path.join(cwd, "s.json")) as f:
        return json.load(f)["seconds"]["compute"]


def spread(values):
    return "%.3f [%.3f %.3f]" % (statistics.median(values), min(values), max(values))


with tempfile.TemporaryDirectory() as d:
    for dtype in ("float64", "float32", "complex128"):
        for n in (512, 1024, 2048):
            rng = np.random.RandomState(0)
            for name in ("a.npy", "b.npy"):
                np.save(os.path.join(d, name), rng.standard_normal((n, n)).astype(dtype))
            arms = [[compute_seconds(t, d) for t in (1, 2, 1)] for _ in range(RUNS)]
            print("%-10s %4d^3  1 thread %.2f ms  1/2 threads %s  null %s"
                  % (dtype, n, 1e3 * statistics.median(a[0] for a in arms), spread([a[0] / a[1] for a in arms]),
                     spread([a[0] / a[2] for a in arms])), flush=True)

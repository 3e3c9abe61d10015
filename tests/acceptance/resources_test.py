"""What a command takes: memory beyond operands and result, anonymous memory against mapped operands, minor
faults, threads, file descriptors. No times: those are tests/bench's."""
import json
import os
import resource
import subprocess
import tempfile
import time

import numpy as np

from harness import TT, environment, main, ok, test

MIB = 1 << 20


def stats(*args, cwd):
    path = os.path.join(cwd, "stats.json")
    ok(*args, "--stats-out", path, cwd=cwd)
    with open(path) as f:
        return json.load(f)


def add_layout_case(spec, shapes):
    """Any order of labels: the step takes its result and at most 64 MiB."""
    def fn():
        with tempfile.TemporaryDirectory() as d:
            files = []
            for i, shape in enumerate(shapes):
                np.save(os.path.join(d, "x%d.npy" % i), np.ones(shape))
                files.append("x%d.npy" % i)
            s = stats("einsum", spec, *files, "-o", "o.npy", cwd=d)
            result = os.path.getsize(os.path.join(d, "o.npy"))
            assert s["peak_alloc_bytes"] <= result + 64 * MIB, s
            assert abs(s["predicted_peak_bytes"] - s["peak_alloc_bytes"]) <= 0.05 * s["peak_alloc_bytes"], s
    fn.__name__ = "no_copy_" + spec
    test(fn)


# Operands of 32 MiB and more: a hidden transposed copy of both would show.
for spec_, shapes_ in (("abc,cad->bd", [(160, 160, 200), (200, 160, 150)]),
                       ("cab,dca->db", [(200, 160, 160), (150, 200, 160)]),
                       ("abcd,dbea->ec", [(64, 64, 40, 64), (64, 64, 50, 64)]),
                       ("abk,ack->cbk", [(160, 200, 180), (160, 150, 180)]),
                       ("ij,kj->ki", [(2500, 2000), (2200, 2000)]),
                       ("ij,ij->i", [(2500, 2000), (2500, 2000)]),
                       ("ij,kj->jik", [(200, 2000), (210, 2000)])):
    add_layout_case(spec_, shapes_)


@test
def two_mapped_operands_of_2_gib_need_no_anonymous_memory():
    rows, cols = 1 << 14, 1 << 14
    with tempfile.TemporaryDirectory() as d:
        for name in ("a.npy", "b.npy"):  # sparse files: all zeros, no blocks on the disk
            with open(os.path.join(d, name), "wb") as f:
                np.lib.format.write_array_header_1_0(
                    f, {"descr": "<f8", "fortran_order": False, "shape": (rows, cols)})
                f.truncate(f.tell() + rows * cols * 8)
        p = subprocess.Popen([TT, "einsum", "ij,ij->i", "a.npy", "b.npy", "-o", "o.npy"], cwd=d,
                             env=environment())
        most = 0
        while p.poll() is None:
            try:
                with open("/proc/%d/status" % p.pid) as f:
                    for line in f:
                        if line.startswith("RssAnon:"):
                            most = max(most, int(line.split()[1]))
            except OSError:
                pass
            time.sleep(0.01)
        assert p.returncode == 0
        assert 0 < most < 128 << 10, "%d KiB of anonymous memory" % most
        assert not np.load(os.path.join(d, "o.npy")).any()


@test
def result_and_pack_buffers_are_touched_once_and_huge():
    with open("/sys/kernel/mm/transparent_hugepage/enabled") as f:
        if "[never]" in f.read():
            print("skip: this kernel has no transparent huge pages")
            return
    n = 4096  # a result of 128 MiB: 32768 small pages, 64 huge ones
    with tempfile.TemporaryDirectory() as d:
        np.save(os.path.join(d, "a.npy"), np.ones((n, 8)))
        np.save(os.path.join(d, "b.npy"), np.ones((8, n)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        ok("einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "o.npy", "--threads", "1", cwd=d)
        faults = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before
    assert faults < 6000, "%d minor faults" % faults


@test
def two_small_files_start_no_thread():
    with tempfile.TemporaryDirectory() as d:
        for name in ("a.npy", "b.npy"):
            np.save(os.path.join(d, name), np.ones((64, 64)))
        log = os.path.join(d, "strace.log")
        subprocess.run(["strace", "-f", "-e", "trace=clone,clone3,fork,vfork", "-o", log, TT, "einsum",
                        "ij,jk->ik", "a.npy", "b.npy", "-o", "o.npy"], cwd=d, env=environment(), check=True)
        with open(log) as f:
            calls = [line for line in f if "clone" in line or "fork" in line]
        assert not calls, calls


@test
def a_paying_product_starts_just_the_members_it_planned():
    with tempfile.TemporaryDirectory() as d:
        s = stats("matmul", "@1200x1200", "@1200x1200", "--threads", "2", "-o", "o.npy", cwd=d)
    assert s["requested_width"] == 2 and s["planned_width"] == 2 and s["realised_width"] == 2, s


@test
def a_thread_limit_cuts_the_realised_width():
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "s.json")
        ok("matmul", "@900x900", "@900x900", "--threads", "2", "--stats-out", path, "-o", "o.npy", cwd=d,
           env=environment(OMP_THREAD_LIMIT="1"))
        with open(path) as f:
            s = json.load(f)
    assert s["requested_width"] == 2 and s["realised_width"] == 1, s


if __name__ == "__main__":
    main()

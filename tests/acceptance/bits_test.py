"""A gate decides who runs, never what is computed: the bytes of the result for every width, token, host class,
override and multiple, for operands in either order and byte order, and under OpenMP's own variables."""
import os
import tempfile

import numpy as np

from harness import environment, main, ok, run, test

RNG = np.random.RandomState(20)
CLASSES = ("generic", "aarch64-apple", "x86_64-avx2", "x86_64-avx512", "x86_64-scalar")
VARIANTS = ([["--threads", str(w)] for w in (1, 2, 3, 8)]
            + [["--threads", "2", "--token", t] for t in ("team", "pool", "outside")]
            + [["--threads", "2", "--plan-threads", "6", "--host-class", c] for c in CLASSES]
            + [["--threads", "4", "--par", "never"], ["--threads", "3", "--pays", "0.0001"],
               ["--threads", "2", "--pays", "0.0001", "--token", "outside"],
               ["--threads", "2", "--par", "contract.step=1"]])
# name: (spec, shapes); k = 5000 is deep enough for several depth blocks.
CASES = {
    "square": ("ij,jk->ik", [(230, 190), (190, 210)]),
    "k5000": ("ij,jk->ik", [(40, 5000), (5000, 60)]),
    "deep": ("ki,kj->ij", [(20000, 6), (20000, 5)]),
    "batched": ("bij,bjk->bik", [(50, 20, 30), (50, 30, 25)]),
    "permuted": ("abcd,cdef->feba", [(9, 8, 7, 6), (7, 6, 11, 10)]),
    "chain": ("ab,bc,cd,de->ae", [(60, 90), (90, 40), (40, 120), (120, 70)]),
    "matvec": ("ij,j->i", [(900, 700), (700,)]),
    "vecmat": ("i,ij->j", [(900,), (900, 700)]),
    "dot": ("i,i->", [(300001,), (300001,)]),
    "sum": ("ij->i", [(40, 30011)]),
    "elementwise": ("ij,ij->ij", [(300, 401), (300, 401)]),
    "outer": ("i,j->ij", [(500,), (701,)]),
    "diagonal": ("ii,ij->ij", [(300, 300), (300, 200)]),
}


def draw(shape, dtype):
    a = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * RNG.standard_normal(shape)
    return a.astype(dtype) if np.dtype(dtype).kind != "i" else (a * 9).astype(dtype)


def add_case(name, dtype):
    def fn():
        spec, shapes = CASES[name]
        with tempfile.TemporaryDirectory() as d:
            files = []
            for i, shape in enumerate(shapes):
                np.save(os.path.join(d, "x%d.npy" % i), draw(shape, dtype))
                files.append("x%d.npy" % i)
            base = ok("einsum", spec, *files, "-o", "-", "--threads", "1", cwd=d)
            for options in VARIANTS:
                assert ok("einsum", spec, *files, "-o", "-", *options, cwd=d) == base, options
            for extra in ({"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}, {"OMP_THREAD_LIMIT": "1"},
                          {"OMP_NUM_THREADS": "2"}):
                out = ok("einsum", spec, *files, "-o", "-", cwd=d, env=environment(**extra))
                assert out == base, extra
            assert ok("einsum", spec, *files, "-o", "-", cwd=d, prefix=["taskset", "-c", "0"]) == base
    fn.__name__ = "bits_%s_%s" % (name, dtype)
    test(fn)


for name_ in CASES:
    for dtype_ in ("float64", "complex64") + (("float32", "int64") if name_ in ("square", "k5000", "dot") else ()):
        add_case(name_, dtype_)


@test
def order_and_byte_order_of_the_operands():
    a, b = draw((60, 70), "float64"), draw((70, 50), "float64")
    with tempfile.TemporaryDirectory() as d:
        outputs = set()
        for change in (lambda x: x, np.asfortranarray, lambda x: x.astype(">f8")):
            np.save(os.path.join(d, "a.npy"), change(a))
            np.save(os.path.join(d, "b.npy"), change(b))
            outputs.add(ok("einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "-", cwd=d))
        assert len(outputs) == 1


@test
def a_batch_item_has_the_bits_of_the_single_call():
    a, b = draw((7, 33, 300), "float64"), draw((7, 300, 29), "float64")
    with tempfile.TemporaryDirectory() as d:
        np.save(os.path.join(d, "a.npy"), a)
        np.save(os.path.join(d, "b.npy"), b)
        stack = ok("einsum", "bij,bjk->bik", "a.npy", "b.npy", "-o", "-", cwd=d)
        item = ok("einsum", "ij,jk->ik", "a.npy[4]", "b.npy[4]", "-o", "-", cwd=d)
    size = 33 * 29 * 8
    assert stack[-7 * size:][4 * size:5 * size] == item[-size:]


@test
def an_isa_that_is_not_there_is_refused():
    p = run("einsum", "ij,jk->ik", "@eye:9x9", "@eye:9x9", "--isa", "mmx", "-o", "-")
    assert p.returncode == 2 and b"mmx" in p.stderr, p.stderr


if __name__ == "__main__":
    main()

"""einsum against numpy.einsum: random specs, shapes, element types, layouts, byte orders and file formats; beside
them what a random draw does not reach: very many operands, labels beyond the alphabet, NaN, empty sums.

Every bound is n terms of rounding times the sum of the magnitudes of the terms; integers are exact."""
import io
import os
import string
import tempfile
import zipfile

import h5py
import numpy as np

from harness import main, ok, test

CASES_A_TEST = 50
DTYPES = ("f8", "f8", "f4", "c16", "c8", "f2", "i8", "i4", "i2", "u1", "u4", "?")


# ---------------------------------------------------------------- drawing a case

def draw_spec(rng):
    """Input terms, output term (None: implicit) and the extent of every label."""
    labels = list(rng.permutation(list(string.ascii_letters))[:rng.randint(1, 8)])
    extents = {label: int(rng.choice([0, 1, 2, 3, 4, 5, 6], p=[.02, .1, .16, .2, .2, .2, .12])) for label in labels}
    terms = ["".join(rng.choice(labels, size=rng.randint(0, 5))) for _ in range(rng.choice([1, 2, 2, 2, 3, 3, 4, 5]))]
    seen = sorted(set("".join(terms)))
    if rng.rand() < 0.2:
        return terms, None, extents
    output = "".join(rng.permutation(seen)[:rng.randint(0, min(len(seen), 5) + 1)]) if seen else ""
    return terms, output, extents


def draw_ellipsis(rng, terms, output):
    """Sometimes '...' in some terms, with the shapes it stands for: of differing ranks, size 1 where it broadcasts."""
    batch = tuple(int(x) for x in rng.randint(1, 4, size=rng.randint(0, 3)))
    if rng.rand() > 0.25:
        return terms, output, [()] * len(terms)
    new_terms, extra = [], []
    for term in terms:
        if rng.rand() < 0.3 or len(set(term)) != len(term):
            new_terms.append(term)
            extra.append(())
            continue
        at = rng.randint(len(term) + 1)
        part = tuple(1 if rng.rand() < 0.25 else x for x in batch[rng.randint(len(batch) + 1):])
        new_terms.append(term[:at] + "..." + term[at:])
        extra.append(part)
    if output is not None and any("..." in term for term in new_terms):
        at = rng.randint(len(output) + 1)
        output = output[:at] + "..." + output[at:]
    return new_terms, output, extra


def draw_shape(rng, term, extents, extra):
    """The shape of a term. A label may have size 1 where it stands once in the term: it broadcasts."""
    shape = []
    for label in term.replace("...", "."):
        if label == ".":
            shape.extend(extra)
        elif term.count(label) == 1 and rng.rand() < 0.05:
            shape.append(1)
        else:
            shape.append(extents[label])
    return tuple(shape)


def draw_array(rng, shape, dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.rand(*shape) < 0.6 if shape else np.bool_(rng.rand() < 0.6)
    if kind in "iu":
        return rng.randint(0 if kind == "u" else -9, 10, size=shape).astype(dtype)
    a = rng.standard_normal(shape)
    if kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return np.asarray(a).astype(dtype)


# ---------------------------------------------------------------- files

def npy_bytes(a):
    out = io.BytesIO()
    np.save(out, a)
    return out.getvalue()


def store(rng, folder, name, a, streams):
    """Writes `a` in a drawn layout, byte order and format; returns the operand. `streams` takes one as input."""
    layout = rng.choice(["C", "F", "stepped", "reversed"])
    selection = ""
    if layout == "F":
        a = np.array(a, order="F")
    elif layout != "C" and a.ndim and a.size:
        wide = np.zeros(a.shape[:-1] + (2 * a.shape[-1],), a.dtype)
        if layout == "stepped":
            wide[..., 1::2] = a
            selection = "[...,1::2]"
        else:
            wide[..., :a.shape[-1]] = a[..., ::-1]
            selection = "[...,%d::-1]" % (a.shape[-1] - 1)
        a = wide
    if rng.rand() < 0.3:
        a = np.asarray(a, a.dtype.newbyteorder(">"), order="K")
    form = rng.choice(["npy", "npy", "npz", "deflated", "h5", "chunked", "stream"])
    path = os.path.join(folder, name)
    if form == "stream" and not streams and not selection:
        streams.append(npy_bytes(a))
        return "-"
    if form in ("npz", "deflated"):
        (np.savez if form == "npz" else np.savez_compressed)(path + ".npz", other=np.arange(3), x=a)
        return name + ".npz:x" + selection
    if form in ("h5", "chunked"):
        with h5py.File(path + ".h5", "w") as f:
            chunked = form == "chunked" and a.ndim and a.size
            f.create_dataset("g/x", data=a, **(dict(chunks=True, compression="gzip", shuffle=True) if chunked else {}))
        return name + ".h5:/g/x" + ("" if not selection else selection)
    np.save(path + ".npy", a)
    return name + ".npy" + selection


# ---------------------------------------------------------------- the reference

def computing_type(arrays):
    """cli.md, section 1: NumPy's result_type; integers and bool become int64, float16 float32."""
    dtype = np.result_type(*[a.dtype for a in arrays])
    if dtype.kind in "biu":
        return np.dtype("i8")
    return np.dtype("f4") if dtype == np.float16 else dtype


def widened(a, dtype):
    return np.asarray(a).astype({"i": "i8", "f": "f8", "c": "c16"}[dtype.kind])


def check_close(got, spec, arrays, dtype, what):
    assert got.dtype == dtype, "%s: dtype %s, not %s" % (what, got.dtype, dtype)
    wide = [widened(a, dtype) for a in arrays]
    want = np.asarray(np.einsum(spec, *wide))
    assert got.shape == want.shape, "%s: shape %s, not %s" % (what, got.shape, want.shape)
    if dtype.kind == "i":
        assert np.array_equal(got, want), what
        return
    size = np.asarray(np.einsum(spec, *[np.abs(a) for a in wide]))
    terms = np.asarray(np.einsum(spec, *[np.ones(a.shape) for a in wide]))
    eps = np.finfo(dtype).eps
    bound = (terms + 4 * len(arrays)) * 2 * eps * size + np.finfo(dtype).tiny
    wrong = ~(np.abs(got - want) <= bound)
    assert not wrong.any(), "%s: off by %.3g times the bound" % (what, np.max(np.abs(got - want) / bound))


def result(folder, name="o.npy"):
    return np.load(os.path.join(folder, name))


def check_case(seed):
    rng = np.random.RandomState(seed)
    terms, output, extents = draw_spec(rng)
    terms, output, extra = draw_ellipsis(rng, terms, output)
    spec = ",".join(terms) + ("" if output is None else "->" + output)
    shapes = [draw_shape(rng, term, extents, part) for term, part in zip(terms, extra)]
    kinds = [rng.choice(DTYPES)] * len(terms) if rng.rand() < 0.7 else list(rng.choice(DTYPES, size=len(terms)))
    arrays = [np.asarray(draw_array(rng, shape, dtype)) for shape, dtype in zip(shapes, kinds)]
    with tempfile.TemporaryDirectory() as folder:
        streams = []
        names = [store(rng, folder, "x%d" % i, a, streams) for i, a in enumerate(arrays)]
        what = "seed %d: %s %s %s %s" % (seed, spec, shapes, kinds, names)
        options = [[], ["--optimize", "greedy"], ["--optimize", "left"], ["--threads", "2", "--pays", "0.001"],
                   ["--isa", "scalar"]][rng.randint(5)]
        target = rng.choice(["o.npy", "o.npz", "o.h5"])
        ok("einsum", spec, *names, "-o", target, *options, cwd=folder, stdin=streams[0] if streams else None)
        if target == "o.h5":
            with h5py.File(os.path.join(folder, target), "r") as f:
                got = np.asarray(f["C"][()])
        else:
            got = result(folder, target)
            got = got["C"] if target == "o.npz" else got
        check_close(got, spec, arrays, computing_type(arrays), what)


def add_random(first):
    def fn():
        for seed in range(first, first + CASES_A_TEST):
            check_case(seed)
    fn.__name__ = "random_%d_to_%d" % (first, first + CASES_A_TEST - 1)
    test(fn)


for first_ in range(0, 600, CASES_A_TEST):
    add_random(first_)


# ---------------------------------------------------------------- what a draw does not reach

def run_arrays(spec, arrays, *options):
    """The result of tt on arrays that lie in .npy files."""
    with tempfile.TemporaryDirectory() as folder:
        for i, a in enumerate(arrays):
            np.save(os.path.join(folder, "x%d.npy" % i), a)
        ok("einsum", spec, *["x%d.npy" % i for i in range(len(arrays))], "-o", "o.npy", *options, cwd=folder)
        return result(folder)


def names(count):
    return ["[n%d]" % i for i in range(count)]


@test
def a_chain_of_60_operands():
    rng = np.random.RandomState(60)
    sizes = rng.randint(2, 9, size=61)
    arrays = [rng.standard_normal((sizes[i], sizes[i + 1])) / 3 for i in range(60)]
    n = names(61)
    spec = ",".join(n[i] + n[i + 1] for i in range(60)) + "->" + n[0] + n[60]
    want, size = arrays[0], np.abs(arrays[0])
    for a in arrays[1:]:
        want, size = want @ a, size @ np.abs(a)
    for how in ("auto", "greedy", "left"):
        got = run_arrays(spec, arrays, "--optimize", how)
        assert np.all(np.abs(got - want) <= 60 * 9 * 2.3e-16 * size), how


@test
def a_product_of_60_vectors_under_one_label():
    rng = np.random.RandomState(61)
    arrays = [rng.randint(-1, 2, size=7) for _ in range(60)]
    arrays = [np.where(a == 0, 1, a) for a in arrays]
    got = run_arrays(",".join("i" * 60) + "->i", arrays)
    assert got.dtype == np.int64 and np.array_equal(got, np.prod(arrays, axis=0))


@test
def sixty_operands_in_a_tree_with_batch_labels():
    rng = np.random.RandomState(62)
    n = names(61)
    # Operand i joins label i to label (i-1)//2 of a binary tree; b runs through all.
    arrays = [rng.standard_normal((2, 3, 3)) / 2 for _ in range(60)]
    terms = ["b%s%s" % (n[i // 2], n[i + 1]) for i in range(60)]
    got = run_arrays(",".join(terms) + "->b", arrays)
    want = np.zeros(2)
    for b in range(2):
        below = [np.ones(3) for _ in range(61)]
        for i in reversed(range(60)):
            below[i // 2] = below[i // 2] * (arrays[i][b] @ below[i + 1])
        want[b] = below[0].sum()
    assert np.allclose(got, want, rtol=1e-11, atol=0), (got, want)


@test
def labels_that_numpy_has_not():
    a, b = np.arange(6.).reshape(2, 3), np.arange(12.).reshape(3, 4)
    for spec in ("äö,öü->äü", "[row][mid],[mid][col]->[row][col]", "αβ, βγ -> αγ", "01,12->02", "[i]j,jk->ik"):
        assert np.array_equal(run_arrays(spec, [a, b]), a @ b), spec


@test
def an_output_that_repeats_a_label_is_a_diagonal():
    a, b = np.arange(1., 4), np.arange(6.).reshape(2, 3)
    assert np.array_equal(run_arrays("i->ii", [a]), np.diag(a))
    assert np.array_equal(run_arrays("ji->iij", [b]), np.einsum("ij,jk->ijk", np.eye(3), b.T))


@test
def parentheses_and_paths_change_no_value():
    rng = np.random.RandomState(5)
    arrays = [rng.randint(-5, 6, size=s) for s in [(3, 4), (4, 5), (5, 6), (6, 2)]]
    want = np.linalg.multi_dot(arrays)
    for spec, options in (("ab,bc,cd,de->ae", []), ("(ab,bc),(cd,de)->ae", []), ("((ab,bc),cd),de->ae", []),
                          ("ab,(bc,(cd,de))->ae", []), ("ab,bc,cd,de->ae", ["--path", "[(1,2),(0,2),(0,1)]"]),
                          ("ab,bc,cd,de->ae", ["--path", "[(1,2),(4,3),(0,5)]", "--ssa"])):
        assert np.array_equal(run_arrays(spec, arrays, *options), want), (spec, options)


@test
def nan_and_inf_go_where_ieee_says():
    rng = np.random.RandomState(8)
    for spec, shapes in (("ij,jk->ik", [(9, 12), (12, 7)]), ("ij->i", [(9, 12)]), ("ij,ij->ij", [(9, 12)] * 2),
                         ("bij,bjk->bik", [(3, 5, 6), (3, 6, 4)]), ("ij,j->i", [(30, 40), (40,)]),
                         ("i,j->ij", [(9,), (12,)]), ("i,i->", [(50,), (50,)])):
        for dtype in ("f8", "f4"):
            for special in (np.nan, np.inf):
                arrays = [draw_array(rng, s, dtype) for s in shapes]
                for a in arrays:
                    a[rng.rand(*a.shape) < 0.03] = special
                with np.errstate(invalid="ignore"):
                    want = np.einsum(spec, *arrays)
                got = run_arrays(spec, arrays)
                assert np.array_equal(np.isnan(got), np.isnan(want)), (spec, dtype, special)
                assert np.array_equal(got[()][np.isinf(want)], want[()][np.isinf(want)]), (spec, dtype, special)


@test
def zeros_do_not_hide_nan():
    a, b = np.zeros((3, 4)), np.full((4, 5), np.nan)
    assert np.isnan(run_arrays("ij,jk->ik", [a, b])).all()


@test
def an_empty_sum_is_zero_even_beside_nan():
    nan = np.full(3, np.nan)
    for spec, arrays in (("i,j->i", [nan, np.zeros(0)]), ("ij,jk->ik", [np.zeros((3, 0)), np.zeros((0, 4))]),
                         ("i,ij->i", [nan, np.zeros((3, 0))])):
        got = run_arrays(spec, arrays)
        want = np.einsum(spec, *arrays)
        assert np.array_equal(got, want), (spec, got)


@test
def integers_are_exact_to_the_last_bit():
    a = np.array([2 ** 62 + 1, -2 ** 62 - 1, 3])
    assert run_arrays("i,i->", [a, np.array([1, 1, 1])]) == 3
    assert run_arrays("i->", [np.array([2 ** 63 - 1], "u8")]) == 2 ** 63 - 1


@test
def members_of_a_deflated_archive_and_a_stream_are_told_apart_by_content():
    a = np.arange(6.).reshape(2, 3)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a.npy", npy_bytes(a))
    for stream in (archive.getvalue(), npy_bytes(a)):
        got = np.load(io.BytesIO(ok("einsum", "ij->ji", "-", stdin=stream)))
        assert np.array_equal(got, a.T)


if __name__ == "__main__":
    main()

"""Widths and decisions of the binary against a separate computation of the rule, for random shapes, tokens
and budgets on every built-in host class, and the derived floors of the reference class. The tables here are
those of the cost model; nothing is taken from the program but its records."""
import random
from fractions import Fraction as F

from harness import main, test, trace

GENERIC = {"team": {2: 3000, 4: 3000, 6: 3000}, "pool": {2: 15000, 4: 15000, 6: 15000},
           "outside": {2: 40000, 4: 40000, 6: 40000}}
DISPATCH = {
    "aarch64-apple": {"team": {2: 3000, 4: 2300, 6: 1400}, "pool": {2: 6000, 4: 11000, 6: 5500},
                      "outside": {2: 14000, 4: 18000, 6: 19000}},
    "x86_64-avx512": {"team": {2: 600, 4: 700, 6: 900, 8: 980}, "pool": {2: 3000, 4: 3600, 6: 3500},
                      "outside": {2: 9700, 4: 10100, 6: 8700}},
    "x86_64-avx2": {"team": {2: 1420, 4: 1990, 6: 2330, 8: 2740, 12: 3560, 16: 4080, 24: 4290, 32: 4840,
                             48: 6400, 64: 9330},
                    "pool": GENERIC["pool"], "outside": GENERIC["outside"]},
    "x86_64-scalar": GENERIC,
    "generic": GENERIC,
}
# Serial rates of the reference table, ns per unit; the classes that carry it unchanged.
RATES = {("gemm", "float64"): F("0.037"), ("gemm", "float32"): F("0.0185"), ("gemm", "complex128"): F("0.165"),
         ("gemm", "complex64"): F("0.0825"), ("matvec", "float64"): F("0.100"), ("matvec", "complex128"): F("0.340"),
         ("strided.sum", "float64"): F("0.081"), ("strided.copy", "float64"): F("0.090"),
         ("strided.map", "float64"): F("0.100")}
REFERENCE = ("aarch64-apple", "generic", "x86_64-scalar")
TOKENS = ("team", "pool", "outside")


def dispatch_cost(row, width):
    """D at a width in whole nanoseconds: flat below, linear between (half up), in proportion above."""
    anchors = sorted(row)
    if width <= anchors[0]:
        return row[anchors[0]]
    if width >= anchors[-1]:
        exact = F(row[anchors[-1]]) * width / anchors[-1]
    else:
        high = next(a for a in anchors if a >= width)
        if high == width:
            return row[width]
        low = max(a for a in anchors if a < width)
        exact = row[low] + F(row[high] - row[low]) * (width - low) / (high - low)
    return int(exact + F(1, 2))


def best_width(row, estimate, sections, budget, pays=3):
    best = None
    for k in range(2, budget + 1):
        cost = sections * dispatch_cost(row, k)
        if estimate >= pays * cost:
            objective = cost + F(estimate, k)
            if best is None or objective < best[0]:
                best = (objective, k)
    return best[1] if best else 1


def dry(host, token, budget, *command):
    return trace(*command, "--dry-run", "--host-class", host, "--token", token, "--plan-threads", budget,
                 "--memory-limit", "900GiB")


def gate_of(records, site):
    found = [r for r in records if r["site"] == site]
    assert found, "no record of %s among %s" % (site, sorted({r["site"] for r in records}))
    return found[0]


def random_command(rng):
    """(command, site, family, dtype, units)"""
    dtype = rng.choice(["float64", "float32", "complex128", "complex64"])
    m, n, k = (int(10 ** rng.uniform(0.4, 2.9)) for _ in range(3))
    kind = rng.choice(["einsum", "matmul", "matvec", "batched"])
    if kind == "matvec":
        dtype = rng.choice(["float64", "complex128"])
        return ["matmul", "@%dx%d,%s" % (m, k, dtype), "@%d,%s" % (k, dtype)], "matvec", "matvec", dtype, m * k
    if kind == "batched":
        b = rng.randint(2, 9)
        return (["einsum", "bij,bjk->bik", "@%dx%dx%d,%s" % (b, m, k, dtype), "@%dx%dx%d,%s" % (b, k, n, dtype)],
                "contract.step", "gemm", dtype, b * m * n * k)
    operands = ["@%dx%d,%s" % (m, k, dtype), "@%dx%d,%s" % (k, n, dtype)]
    if kind == "einsum":
        return ["einsum", "ij,jk->ik", *operands], "contract.step", "gemm", dtype, m * n * k
    return ["matmul", *operands], "gemm.product", "gemm", dtype, m * n * k


def check_random(host, token, count, seed):
    rng = random.Random(seed)
    row = DISPATCH[host][token]
    parallel = 0
    for _ in range(count):
        budget = rng.choice([2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 48, 64, 100])
        command, site, family, dtype, units = random_command(rng)
        r = gate_of(dry(host, token, budget, *command), site)
        about = "%s %s budget %d %s: %s" % (host, token, budget, command, r)
        assert r["units"] == units and r["family"] == family and r["sections"] == 1, about
        assert r["kind"] == token and r["budget"] == budget, about
        if host in REFERENCE:
            assert r["estimate_ns"] == int(units * RATES[family, dtype]), about
        width = best_width(row, r["estimate_ns"], 1, budget)
        assert (r["decision"] == "parallel") == (width > 1), about
        assert r["width"] == width, "%s, expected width %d" % (about, width)
        if width > 1:
            assert r["dispatch_ns"] == dispatch_cost(row, width), about
            assert r["required_ns"] == 3 * r["dispatch_ns"], about
            parallel += 1
        else:
            cheapest = min(dispatch_cost(row, k) for k in range(2, budget + 1))
            assert r["dispatch_ns"] == cheapest and r["required_ns"] == 3 * cheapest, about
            assert r["rule"] == ("min_cost" if r["estimate_ns"] < 3 * min(row.values()) else "derived"), about
    assert 0 < parallel, "no parallel decision among %d" % count


def add_random(host, token):
    def fn():
        check_random(host, token, 12, "%s %s" % (host, token))
    fn.__name__ = "random_%s_%s" % (host, token)
    test(fn)


for host_ in DISPATCH:
    for token_ in TOKENS:
        add_random(host_, token_)


def floor_case(name, floors, command, site="contract.step"):
    """floors: units per token; command: units -> command line. One unit below is serial."""
    def fn():
        for token, floor in zip(TOKENS, floors):
            for units, decision in ((floor, "parallel"), (floor - 1, "serial")):
                r = gate_of(dry("aarch64-apple", token, 6, *command(units)), site)
                assert r["units"] == units and r["decision"] == decision, (token, units, r)
    fn.__name__ = "floor_" + name
    test(fn)


floor_case("sum", (51852, 203704, 518519), lambda u: ["einsum", "i->", "@%d" % u])
floor_case("copy", (46667, 183334, 466667), lambda u: ["einsum", "i->i", "@%d" % u])
floor_case("map", (42000, 165000, 420000), lambda u: ["einsum", "i,i->i", "@%d" % u, "@%d" % u])


def cube_case(name, sides, dtype):
    def fn():
        for token, side in zip(TOKENS, sides):
            for n, decision in ((side, "parallel"), (side - 1, "serial")):
                r = gate_of(dry("aarch64-apple", token, 6, "matmul", *["@%dx%d,%s" % (n, n, dtype)] * 2),
                            "gemm.product")
                assert r["units"] == n ** 3 and r["decision"] == decision, (token, n, r)
    fn.__name__ = "floor_cube_" + name
    test(fn)


cube_case("float64", (49, 77, 105), "float64")
cube_case("complex128", (30, 47, 64), "complex128")


@test
def floor_gemm_by_units():
    for dtype, floors in (("float64", (113514, 445946, 1135136)), ("complex128", (25455, 100000, 254546))):
        for token, floor in zip(TOKENS, floors):
            first = -(-floor // 64)  # units come in steps of 8 * 8
            for k, decision in ((first, "parallel"), (first - 1, "serial")):
                r = gate_of(dry("aarch64-apple", token, 6, "matmul", "@8x%d,%s" % (k, dtype),
                                "@%dx8,%s" % (k, dtype)), "gemm.product")
                assert r["decision"] == decision, (dtype, token, k, r)


@test
def floor_matvec():
    for token, floor in zip(TOKENS, (42000, 165000, 420000)):
        for rows, decision in ((floor // 40, "parallel"), (floor // 40 - 1, "serial")):
            r = gate_of(dry("aarch64-apple", token, 6, "matmul", "@%dx40" % rows, "@40"), "matvec")
            assert r["units"] == 40 * rows and r["decision"] == decision, (token, rows, r)


@test
def budget_one_is_a_serial_token():
    r = gate_of(dry("generic", "team", 1, "matmul", "@900x900", "@900x900"), "gemm.product")
    assert r["rule"] == "serial-token" and r["decision"] == "serial" and r["width"] == 1, r
    assert r["dispatch_ns"] is None and r["required_ns"] is None, r


if __name__ == "__main__":
    main()

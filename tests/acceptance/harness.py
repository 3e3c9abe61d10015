"""What the acceptance scripts share: running tt in a fresh directory, counting checks, one closing line.

A script defines functions decorated with @test and ends with main(). TT names the binary."""
import json
import os
import subprocess
import sys
import tempfile
import traceback

TT = os.environ["TT"]
TESTS = []


def test(fn):
    TESTS.append(fn)
    return fn


def environment(**extra):
    """The caller's environment without what would steer tt."""
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("TT_", "OMP_", "SLURM_", "OPENBLAS_"))}
    env.update(LC_ALL="C.UTF-8", **extra)
    return env


def run(*args, stdin=None, env=None, cwd=None, prefix=()):
    """Runs tt; returns the completed process with bytes of both streams."""
    return subprocess.run([*prefix, TT, *map(str, args)], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=env or environment(), cwd=cwd, timeout=120)


def ok(*args, **kw):
    """Runs tt and expects status 0; returns its standard output."""
    p = run(*args, **kw)
    assert p.returncode == 0, "%s: status %d: %s" % (args, p.returncode, p.stderr.decode())
    return p.stdout


def trace(*args, **kw):
    """The gate records of a command."""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "t.jsonl")
        ok(*args, "--trace-out", path, **kw)
        with open(path) as f:
            return [json.loads(line) for line in f]


def main():
    failed = 0
    for fn in TESTS:
        try:
            fn()
        except Exception:
            failed += 1
            print("FAIL %s" % fn.__name__)
            traceback.print_exc(file=sys.stdout)
    print("%d passed, %d failed" % (len(TESTS) - failed, failed))
    sys.exit(1 if failed else 0)

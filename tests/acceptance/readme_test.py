"""The sessions of README.md: every `sh` block is run in one fresh directory, and what follows a command is its
output to the letter."""
import os
import re
import subprocess
import tempfile

from harness import TT, environment, main, test

README = os.path.join(os.path.dirname(__file__), "..", "..", "README.md")


def sessions():
    """(command, expected output) of every block, in order."""
    with open(README, encoding="utf-8") as f:
        blocks = re.findall(r"^```sh\n(.*?)^```", f.read(), re.S | re.M)
    for block in blocks:
        for entry in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = entry.partition("\n")
            yield command, output


@test
def readme_sessions():
    env = environment()
    env["PATH"] = os.path.dirname(os.path.abspath(TT)) + ":" + env["PATH"]
    count = 0
    with tempfile.TemporaryDirectory() as d:
        for command, expected in sessions():
            p = subprocess.run(["bash", "-c", command], cwd=d, env=env, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
            assert p.returncode == 0 and p.stdout.rstrip("\n") == expected.rstrip("\n"), \
                "%s\ngave\n%s\nREADME says\n%s" % (command, p.stdout, expected)
            count += 1
    assert count > 8, count


if __name__ == "__main__":
    main()

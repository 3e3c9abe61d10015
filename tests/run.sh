#!/usr/bin/env bash
# Runs all tests: installs what is missing (apt), builds, runs the doctest suites, the command line
# tests and the acceptance tests, and prints "N passed, N failed". Works from a bare Debian 12.
#
#   tests/run.sh                     everything
#   tests/run.sh --sanitize asan     the same under the address and undefined sanitizers
#   tests/run.sh --sanitize tsan     the team tests under the thread sanitizer
set -euo pipefail
cd "$(dirname "$0")/.."

stage=1  # the acceptance cases of ../shared that the work so far must pass
preset=release
only=()
case "${1-}" in
  '') ;;
  --sanitize)
    preset=${2-}
    case "$preset" in
      asan) ;;
      tsan) only=(-R 'core_team_tests') ;;
      *) echo "tests/run.sh: --sanitize takes asan or tsan" >&2; exit 2 ;;
    esac ;;
  *) echo "tests/run.sh: unknown argument '$1'" >&2; exit 2 ;;
esac

. examples/packages.sh
install_packages $build_packages $test_packages

# The peers' kernels must not be steered by what this shell happens to have set.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

build=build
[ "$preset" = release ] || build=build-$preset
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -- -k 0

# Counts of a ctest log: doctest's "test cases: N | N passed | N failed", the acceptance scripts'
# "N passed, N failed"; a test that fails without such a line (a crash) counts as one failure.
count() {
  awk '
    /^\[doctest\] test cases:/ { gsub(/[|]/, " "); p += $5; f += $7; seen = 1 }
    /^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3; seen = 1 }
    /^Test (Failed|timed out)|^Test time out/ { if (!seen) f += 1; seen = 0 }
    /^Test Passed/ { if (!seen) p += 1; seen = 0 }
    END { print p + 0, f + 0 }' "$1"
}

ctest --test-dir "$build" --output-on-failure --timeout 600 "${only[@]}" || true
read -r passed failed < <(count "$build/Testing/Temporary/LastTest.log")

if [ "$preset" = release ] && [ -d ../shared/accept ]; then
  log=$build/acceptance.log
  TT=$PWD/build/tt /usr/bin/python3 ../shared/accept/tthar.py --upto "$stage" --jobs 2 | tee "$log" || true
  read -r more_passed more_failed < <(count "$log")
  if [ $((more_passed + more_failed)) -eq 0 ]; then more_failed=1; fi
  passed=$((passed + more_passed))
  failed=$((failed + more_failed))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

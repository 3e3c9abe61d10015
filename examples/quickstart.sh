#!/usr/bin/env bash
# From a bare Debian 12 to a contraction of two HDF5 files: installs the packages (apt), builds, makes
# small files, runs the main job, shows why it ran as it did, and runs a pipeline.
set -euo pipefail
cd "$(dirname "$0")/.."

. examples/packages.sh
install_packages $build_packages

cmake -S . -B build -G Ninja >/dev/null
cmake --build build --target tt
tt=$PWD/build/tt

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Prints a command as it would be typed, then runs it.
show() {
  local arg line='$ tt'
  for arg in "$@"; do
    case $arg in *[\>,]*) line+=" \"$arg\"" ;; *) line+=" $arg" ;; esac
  done
  echo "$line"
  "$tt" "$@"
}

show convert @300x200 a.h5:/x
show convert @200x100,seed=1 b.h5:/y
show convert @100,seed=2 v.npy
show info a.h5 b.h5 v.npy

show einsum "ij,jk->ik" a.h5 b.h5 -o c.h5
show einsum "ij,jk->ik" a.h5 b.h5 --trace --explain -o c.h5
show einsum "ij,jk->ik" @1000x20 @20x30 --dry-run --trace --host-class x86_64-avx2 --plan-threads 64

echo '$ tt matmul a.h5 b.h5 | tt einsum "ij,j->i" - v.npy | tt einsum "i->" -'
"$tt" matmul a.h5 b.h5 | "$tt" einsum "ij,j->i" - v.npy | "$tt" einsum "i->" -

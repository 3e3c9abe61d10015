# The Debian packages that building and testing need, and how they are installed. Sourced by
# examples/quickstart.sh and tests/run.sh; does nothing when all are there.

build_packages="g++ cmake ninja-build libcli11-dev libhdf5-dev libxtensor-dev libxsimd-dev libhwloc-dev
  libfmt-dev nlohmann-json3-dev libminizip-dev zlib1g-dev libaec-dev doctest-dev"
test_packages="python3-numpy python3-scipy python3-h5py strace g++-aarch64-linux-gnu binutils util-linux"

# install_packages NAME...: installs those that are missing, as root or through sudo.
install_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

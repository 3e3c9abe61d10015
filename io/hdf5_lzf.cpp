// h5py's lzf filter, decompression only: LibLZF's format, written from its description.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "io/hdf5_base.hpp"

namespace tt::io {
namespace {

constexpr H5Z_filter_t lzf_id = 32000;

/// Expands `from` into `to`; the bytes written, or 0 when the data is damaged or does not fit.
///
/// A control byte c below 32 is followed by c + 1 literal bytes. Any other repeats earlier output:
/// length (c >> 5) + 2, or 7 + next byte + 2 when c >> 5 is 7, at distance ((c & 31) << 8 | next)
/// + 1.
std::size_t expand(std::span<const unsigned char> from, std::span<unsigned char> to) {
  std::size_t in = 0, out = 0;
  while (in < from.size()) {
    const std::size_t control = from[in++];
    if (control < 32) {
      const std::size_t count = control + 1;
      if (count > from.size() - in || count > to.size() - out) return 0;
      std::memcpy(&to[out], &from[in], count);
      in += count;
      out += count;
      continue;
    }
    std::size_t length = control >> 5;
    if (length == 7) {
      if (in == from.size()) return 0;
      length += from[in++];
    }
    length += 2;
    if (in == from.size()) return 0;
    const std::size_t distance = ((control & 31) << 8 | from[in++]) + 1;
    if (distance > out || length > to.size() - out) return 0;
    for (; length > 0; --length, ++out) to[out] = to[out - distance];  // may overlap
  }
  return out;
}

/// H5Z_func_t: replaces *buffer by what it holds unpacked. The third value of h5py's filter is the
/// size of a chunk.
std::size_t filter_lzf(unsigned flags, std::size_t value_count, const unsigned* values,
                       std::size_t bytes, std::size_t* buffer_bytes, void** buffer) {
  if (!(flags & H5Z_FLAG_REVERSE) || value_count < 3) return 0;
  const std::size_t chunk_bytes = values[2];
  std::unique_ptr<void, void (*)(void*)> unpacked(std::malloc(chunk_bytes), std::free);
  if (!unpacked) return 0;
  const std::size_t got = expand({static_cast<const unsigned char*>(*buffer), bytes},
                                 {static_cast<unsigned char*>(unpacked.get()), chunk_bytes});
  if (got == 0) return 0;
  std::free(*buffer);
  *buffer = unpacked.release();
  *buffer_bytes = chunk_bytes;
  return got;
}

}  // namespace

void register_lzf_filter() {
  static constexpr H5Z_class2_t filter = {
      H5Z_CLASS_T_VERS, lzf_id, 0, 1, "lzf", nullptr, nullptr, filter_lzf,
  };
  H5Zregister(&filter);
}

}  // namespace tt::io

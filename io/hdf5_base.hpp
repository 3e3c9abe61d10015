// What all HDF5 files of ours share: handles that close themselves, errors in one line, files
// opened the one way we open them. The library is started by the first call here and not before: it
// costs milliseconds that a command without HDF5 files does not have.
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace tt::io {

/// An HDF5 identifier and the function that closes it. Empty when negative.
class Hdf5Id {
 public:
  Hdf5Id() = default;
  Hdf5Id(hid_t id, herr_t (*closer)(hid_t)) : id_(id), closer_(closer) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }
  ~Hdf5Id() { close(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// False when the library could not close it, which for a file is a failed write.
  bool close() { return id_ < 0 || closer_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*closer_)(hid_t) = nullptr;
};

/// While one lives, a crash inside the library (it trusts files more than we do) ends in the fault
/// reporter's line and status 4. One at a time, on the thread that calls HDF5.
class Hdf5Guard {
 public:
  explicit Hdf5Guard(const std::string& file);
  ~Hdf5Guard();
  Hdf5Guard(const Hdf5Guard&) = delete;
};

/// Starts the library: no messages of its own, no work at exit, h5py's lzf filter known.
void start_hdf5();

/// The innermost cause of the last failed call, one line; clears it.
std::string hdf5_reason();

/// Error(data): what failed, on what, and the library's reason.
[[noreturn]] void throw_hdf5_error(std::string wrong, const std::string& name);

/// Opens for reading. Throws Error(data) when it is no whole HDF5 file.
Hdf5Id open_hdf5(const std::string& file, const std::string& name);

/// Access properties; `locking` as h5py has it (ignored where the file system knows no locks).
Hdf5Id hdf5_file_access(bool locking);

/// Makes the lzf filter known (id 32000, which h5py writes); reading only.
void register_lzf_filter();

}  // namespace tt::io

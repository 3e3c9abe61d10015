#include "io/hdf5_base.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "io/commit.hpp"
#include "io/mapping.hpp"

namespace tt::io {
namespace {

constexpr std::array<int, 4> crash_signals = {SIGSEGV, SIGABRT, SIGFPE, SIGILL};
std::array<struct sigaction, crash_signals.size()> before{};
const char* guarded_file = nullptr;

void on_crash(int) {
  report_fault("the HDF5 library failed on the file", guarded_file);
  remove_temporaries();
  _exit(static_cast<int>(core::Category::data));
}

}  // namespace

Hdf5Guard::Hdf5Guard(const std::string& file) {
  guarded_file = file.c_str();
  struct sigaction action = {};
  action.sa_handler = on_crash;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < crash_signals.size(); ++i)
    sigaction(crash_signals[i], &action, &before[i]);
}

Hdf5Guard::~Hdf5Guard() {
  for (std::size_t i = 0; i < crash_signals.size(); ++i)
    sigaction(crash_signals[i], &before[i], nullptr);
  guarded_file = nullptr;
}

void start_hdf5() {
  static const bool once = [] {
    H5dont_atexit();
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    register_lzf_filter();
    return true;
  }();
  static_cast<void>(once);
}

std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        auto& text = *static_cast<std::string*>(out);
        if (text.empty() && error->desc) text = error->desc;
        return 0;
      },
      &reason);
  H5Eclear2(H5E_DEFAULT);
  return reason;
}

void throw_hdf5_error(std::string wrong, const std::string& name) {
  const std::string reason = hdf5_reason();
  if (!reason.empty()) wrong += " (" + reason + ")";
  throw core::Error(core::Category::data, std::move(wrong), name);
}

Hdf5Id hdf5_file_access(bool locking) {
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), locking, true);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  return access;
}

Hdf5Id open_hdf5(const std::string& file, const std::string& name) {
  start_hdf5();
  const Hdf5Id access = hdf5_file_access(true);
  Hdf5Id opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!opened) throw_hdf5_error("not a whole HDF5 file", name);
  return opened;
}

}  // namespace tt::io

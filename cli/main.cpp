// main(): run the command line, turn an Error into one message and an exit status.
#include <new>

#include "cli/app.hpp"
#include "cli/messages.hpp"
#include "core/error.hpp"

int main(int argc, char** argv) {
  using tt::core::Category;
  using tt::core::Error;
  tt::cli::hold_standard_streams();
  tt::cli::install_handlers();
  try {
    tt::cli::run_app(argc, argv);
    return 0;
  } catch (const Error& error) {
    tt::cli::print_error(error);
    return static_cast<int>(error.category());
  } catch (const std::bad_alloc&) {
    tt::cli::print_error(Error(Category::memory, "out of memory"));
    return static_cast<int>(Category::memory);
  } catch (const std::exception& error) {
    tt::cli::print_error(Error(Category::data, "internal error", error.what()));
    return 70;
  }
}

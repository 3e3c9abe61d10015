// Files made and checked by NumPy and h5py, the independent readers and writers of our formats.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace tt::test {

/// Runs a script with /usr/bin/python3 in `folder`; numpy is np, h5py is imported. The test fails
/// unless the script ends well; what it prints goes to the test's output.
inline void run_python(const std::string& folder, const std::string& script) {
  const std::string whole = "import numpy as np, h5py, zipfile, io\n" + script;
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) == 0)
      execl("/usr/bin/python3", "python3", "-c", whole.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CAPTURE(script);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
}

}  // namespace tt::test

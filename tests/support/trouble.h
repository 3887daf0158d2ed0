// What goes wrong, told: the words of an Error, and work that changes a whole process done in one of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "marey/core.h"

namespace trouble {

// What the Error says that the work ends with, which is of this kind; empty when it ends well.
inline std::string of(marey::ErrorKind kind, const std::function<void()>& work) {
  try {
    work();
  } catch (const marey::Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    return e.what();
  }
  return "";
}

// The status with which the process ended, 0 when all expectations in it held; or 1000 + the signal that killed it.
inline int in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// All bytes of a file.
inline std::string contents(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace trouble

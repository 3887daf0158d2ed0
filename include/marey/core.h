// Errors and exit codes: what every part agrees on when something is wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace marey {

inline constexpr const char* version = "0.1.0";

// The program's exit codes; each error carries the one it ends the program with.
enum class ExitCode : int {
  done = 0,
  bad_input = 2,     // an option, a scene or a file that does not say something sensible, or an input that is missing
  cannot_go_on = 3,  // the simulation broke down: time, body and reason are in the message
  file_trouble = 4,  // unreadable, unwritable, full, or already there
  interrupted = 130,
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// A ModelSpec that is not physical. `link` names the culprit, so that a reader of scenes can point at its line.
class InvalidSpec : public Error {
 public:
  InvalidSpec(std::string link, const std::string& reason)
      : Error(ExitCode::bad_input, "link '" + link + "': " + reason), link_(std::move(link)), reason_(reason) {}
  const std::string& link() const { return link_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string link_, reason_;
};

}  // namespace marey

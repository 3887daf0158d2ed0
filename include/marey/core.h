// Errors: how every part reports that something is wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace marey {

inline constexpr const char* version = "0.1.0";

enum class ErrorKind {
  bad_input,     // an option, a scene or a file that makes no sense, or an input that is missing
  cannot_go_on,  // the simulation broke down: time, body and reason are in the message
  file_trouble,  // unreadable, unwritable, full, or already there
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// A ModelSpec that is not physical. `link` names the culprit, so that a reader of scenes can point at its line.
class InvalidSpec : public Error {
 public:
  InvalidSpec(std::string link, const std::string& reason)
      : Error(ErrorKind::bad_input, "link '" + link + "': " + reason), link_(std::move(link)), reason_(reason) {}
  const std::string& link() const { return link_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string link_, reason_;
};

}  // namespace marey

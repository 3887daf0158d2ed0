// Words of a text, line by line, each with its place.
#pragma once

#include <string>
#include <string_view>

namespace marey {

class MeshText {
 public:
  MeshText(std::string_view text, const std::string& file);

  // The next word of this line; empty at its end. A comment, from '#' on, is not part of it where `comments` is set.
  std::string_view word();
  // Goes to the next line; false at the end of the text.
  bool next_line();
  // The next word, of this line or a later one; empty at the end of the text.
  std::string_view word_anywhere();
  // A line that ends with a backslash goes on in the next.
  bool continues = false, comments = false;

  // Of the last word.
  int line() const { return word_line_; }
  // "FILE:LINE:COLUMN: found '…'; expected …", for the last word, or for the end of the line or text.
  [[noreturn]] void refuse(const std::string& expected) const;

  // A finite number; `what` is what was expected.
  double number(std::string_view word, const char* what) const;

 private:
  std::string_view text_, last_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0, word_column_ = 1;
  int line_ = 1, word_line_ = 1;
};

// Words are compared without regard to case.
bool same_word(std::string_view a, std::string_view b);

}  // namespace marey

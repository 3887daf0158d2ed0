// Small helpers for messages: the nearest known word, and text that is safe to print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace marey {

// How many insertions, deletions, changes and swaps of neighbours lead from one word to the other, ignoring case.
int edit_distance(std::string_view a, std::string_view b);

// The candidate most likely meant by `word`, or an empty string when none is close.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

// The text with control characters spelled out and a long tail cut, fit for one line of an error message.
std::string printable(std::string_view text, std::size_t longest = 40);

// The length in bytes of the UTF-8 character at i; 0 when it is broken.
std::size_t utf8_length(std::string_view s, std::size_t i);

// "a, b or c"
std::string either(const std::vector<std::string>& words);

}  // namespace marey

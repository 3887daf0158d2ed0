// Small helpers for texts: lists, near misses, numbers as people write them.
#pragma once

#include <string>
#include <vector>

namespace marey::render {

std::vector<std::string> split(const std::string& text, char at);
// "; did you mean 'a'?" for the name nearest to `word`, or one that ends in it ("tip": "finger.tip"); else "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);
bool ends_with(const std::string& text, const std::string& end);
// At most six digits, no trailing zeros.
std::string short_number(double);
// A length with a unit that suits it: "5 mm", "20 cm", "1 m".
std::string short_length(double metres);

}  // namespace marey::render

// Damages scenes: by bytes, by lines, by subtrees (a line and what is indented below it), by numbers, keys, units and
// formulas, and by splicing two scenes.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/values.h"
#include "marey/integrate.h"

namespace marey::fuzz {

class SceneMutator {
 public:
  explicit SceneMutator(std::vector<std::string> corpus) : corpus_(std::move(corpus)) {}

  // The same for the same seed and number.
  std::string scene(std::uint64_t seed, std::uint64_t number) const {
    Random r(seed, number);
    std::string text = r.of(corpus_);
    if (r.one_in(40)) return ValueMaker(r, names_in(text)).map("scene", 0);
    const bool gently = r.one_in(2);
    std::size_t rounds = 1;
    while (rounds < 8 && r.one_in(2)) ++rounds;
    for (; rounds > 0; --rounds) gently ? change_gently(r, text) : damage(r, text);
    return text;
  }

 private:
  using Lines = std::vector<std::string>;

  void damage(Random& r, std::string& text) const {
    switch (r.below(12)) {
      case 0:
        return by_bytes(r, text);
      case 1:
        return by_lines(r, text);
      case 2:
      case 3:
        return by_subtrees(r, text);
      case 4:
        return splice(r, text);
      case 5:
        return rename_key(r, text);
      case 6:
      case 7:
        return add_entry(r, text);
      case 8:
        return change_word(r, text);
      default:
        return change_number(r, text);
    }
  }

  // ---- bytes
  static void by_bytes(Random& r, std::string& text) {
    const std::size_t at = r.below(text.size() + 1), n = r.below(1 + std::min<std::size_t>(text.size() - at, 20));
    switch (r.below(5)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(r.below(256));
        return;
      case 1:
        text.erase(at, n);
        return;
      case 2:
        text.insert(at, text.substr(at, n));
        return;
      case 3:
        text.insert(at, r.of({":",  "- ",     "[",    "]",  "{",    "}",    "'",     "\"",    "#",   "&a ",
                              "*a", "!!int ", "\t",   "\n", "\r",   "%",    "---\n", "...\n", "|\n", ">",
                              "? ", "~",      "<<: ", ",",  "\xff", "\xc3", "@",     "`"}));
        return;
      default:
        text.resize(at);
    }
  }

  // ---- lines and subtrees
  static Lines lines_of(const std::string& text) {
    Lines lines;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = text.find('\n', from)) != std::string::npos; from = at + 1)
      lines.push_back(text.substr(from, at - from));
    if (from < text.size()) lines.push_back(text.substr(from));
    return lines;
  }
  static std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
  }
  static std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }
  static std::size_t end_of_subtree(const Lines& lines, std::size_t first) {
    std::size_t last = first + 1;
    while (last < lines.size() && (lines[last].empty() || indent_of(lines[last]) > indent_of(lines[first]))) ++last;
    return last;
  }
  static auto place(Lines& lines, std::size_t i) { return lines.begin() + static_cast<std::ptrdiff_t>(i); }

  static void by_lines(Random& r, std::string& text) {
    Lines lines = lines_of(text);
    if (lines.empty()) return;
    const std::size_t a = r.below(lines.size()), b = r.below(lines.size());
    switch (r.below(4)) {
      case 0:
        lines.erase(place(lines, a));
        break;
      case 1:
        lines.insert(place(lines, b), std::string(lines[a]));
        break;
      case 2:
        std::swap(lines[a], lines[b]);
        break;
      default:
        lines[a].insert(0, r.below(4), ' ');
    }
    text = joined(lines);
  }
  static void by_subtrees(Random& r, std::string& text) {
    Lines lines = lines_of(text);
    if (lines.empty()) return;
    const std::size_t a = r.below(lines.size()), end = end_of_subtree(lines, a);
    const Lines tree(place(lines, a), place(lines, end));
    if (!r.one_in(3)) lines.erase(place(lines, a), place(lines, end));
    if (!r.one_in(3)) put(r, tree, lines);
    text = joined(lines);
  }
  void splice(Random& r, std::string& text) const {
    Lines lines = lines_of(text), other = lines_of(r.of(corpus_));
    if (other.empty()) return;
    const std::size_t a = r.below(other.size());
    put(r, Lines(place(other, a), place(other, end_of_subtree(other, a))), lines);
    text = joined(lines);
  }
  // Before a line of the same indentation where there is one, or re-indented to one that is there.
  static void put(Random& r, Lines tree, Lines& lines) {
    const std::size_t at = r.below(lines.size() + 1);
    const std::size_t had = indent_of(tree[0]), wanted = at < lines.size() ? indent_of(lines[at]) : 0;
    for (std::string& line : tree) {
      if (indent_of(line) < had) continue;
      line = std::string(wanted, ' ') + line.substr(had);
    }
    lines.insert(place(lines, at), tree.begin(), tree.end());
  }

  // ---- tokens
  struct Token {
    std::size_t at, length;
  };
  static bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.' ||
           (c >= '0' && c <= '9');
  }
  // Words, or numbers, or words before a colon.
  enum class Which { words, numbers, keys };
  static std::vector<Token> tokens(const std::string& text, Which which) {
    std::vector<Token> found;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && in_word(text[end])) ++end;
      if (end == i) {
        ++i;
        continue;
      }
      const char first = text[i] == '-' && end > i + 1 ? text[i + 1] : text[i];
      const bool number = (first >= '0' && first <= '9') || first == '.', key = end < text.size() && text[end] == ':';
      if (which == Which::numbers ? number : which == Which::keys ? key : !number && !key)
        found.push_back({i, end - i});
      i = end;
    }
    return found;
  }
  static std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> names;
    for (const Token& t : tokens(text, Which::words)) names.push_back(text.substr(t.at, t.length));
    for (const Token& t : tokens(text, Which::keys)) names.push_back(text.substr(t.at, t.length));
    return names;
  }
  static void replace(std::string& text, const Token& t, const std::string& by) { text.replace(t.at, t.length, by); }

  static void change_number(Random& r, std::string& text) {
    const std::vector<Token> numbers = tokens(text, Which::numbers);
    if (numbers.empty()) return;
    const Token& t = r.of(numbers);
    switch (r.below(4)) {
      case 0:
        return replace(text, t, random_quantity(r));
      case 1:  // by powers of ten, which leaves scenes sound more often
        return replace(text, t, text.substr(t.at, t.length) + "e" + std::to_string(static_cast<int>(r.below(24)) - 12));
      case 2: {
        const Token& other = r.of(numbers);
        return replace(text, t, text.substr(other.at, other.length));
      }
      default:
        return replace(text, t, random_number(r));
    }
  }
  // So that most scenes stay sound and come to run: other sizes, other methods, things left away.
  static std::vector<std::string> names_of_integrators() {
    std::vector<std::string> names;
    for (const Integrator i : all_integrators()) names.emplace_back(name_of(i));
    return names;
  }
  void change_gently(Random& r, std::string& text) const {
    static const std::vector<std::vector<std::string>> alternatives{
        {"aba", "crba", "dense", "multipliers", "armstrong"},
        names_of_integrators(),
        {"equilibrium", "projected"},
        {"hinge", "slider", "ball", "free", "point", "weld", "universal", "cylindrical", "planar"},
        {"x", "y", "z", "-x", "-y", "-z"}};
    if (r.one_in(6)) return by_subtrees(r, text);
    if (r.one_in(4)) {
      std::vector<std::pair<Token, const std::vector<std::string>*>> places;
      for (const Token& t : tokens(text, Which::words))
        for (const auto& words : alternatives)
          if (std::find(words.begin(), words.end(), text.substr(t.at, t.length)) != words.end())
            places.emplace_back(t, &words);
      if (places.empty()) return;
      const auto& [token, words] = r.of(places);
      return replace(text, token, r.of(*words));
    }
    const std::vector<Token> numbers = tokens(text, Which::numbers);
    if (numbers.empty()) return;
    const Token& t = r.of(numbers);
    const std::string old = text.substr(t.at, t.length);
    const std::string scale = "e" + std::to_string(static_cast<int>(r.below(9)) - 4);
    replace(text, t, r.one_in(8) ? "0" : r.one_in(6) ? (old[0] == '-' ? old.substr(1) : "-" + old) : old + scale);
  }
  static void rename_key(Random& r, std::string& text) {
    const std::vector<Token> keys = tokens(text, Which::keys);
    if (keys.empty()) return;
    const KeyTable& table = scene_key_tables()[r.below(scene_key_tables().size())];
    replace(text, r.of(keys), table.keys[r.below(table.keys.size())].key);
  }
  static void change_word(Random& r, std::string& text) {
    const std::vector<Token> words = tokens(text, Which::words);
    if (words.empty()) return;
    const Token& t = r.of(words);
    const std::vector<std::string> names = names_in(text);
    switch (r.below(4)) {
      case 0:
        return replace(text, t, random_unit(r));
      case 1:
        return replace(text, t, "'" + random_formula(r) + "'");
      case 2: {
        const KeyTable& table = scene_key_tables()[r.below(scene_key_tables().size())];
        return replace(text, t, ValueMaker(r, names).value(table.keys[r.below(table.keys.size())].form, 2));
      }
      default:
        return replace(text, t, r.of(names));
    }
  }
  // Beside an entry of a map: another that belongs to the same table, or to any.
  static void add_entry(Random& r, std::string& text) {
    const std::vector<Token> keys = tokens(text, Which::keys);
    if (keys.empty()) return;
    const Token t = r.of(keys);
    const KeyTable* table = &scene_key_tables()[r.below(scene_key_tables().size())];
    std::vector<const KeyTable*> own;
    for (const KeyTable& candidate : scene_key_tables())
      if (candidate.find(text.substr(t.at, t.length)) != nullptr) own.push_back(&candidate);
    if (!own.empty() && !r.one_in(8)) table = r.of(own);
    const KeyInfo& info = table->keys[r.below(table->keys.size())];
    const std::string entry = std::string(info.key) + ": " + ValueMaker(r, names_in(text)).value(info.form, 1);
    const std::size_t line = text.rfind('\n', t.at) == std::string::npos ? 0 : text.rfind('\n', t.at) + 1;
    const bool alone = text.find_first_not_of(" -", line) == t.at;  // a map in block style
    text.insert(t.at, alone ? entry + "\n" + std::string(t.at - line, ' ') : entry + ", ");
  }

  std::vector<std::string> corpus_;
};

}  // namespace marey::fuzz

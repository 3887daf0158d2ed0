#include "marey/core/look_alikes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "marey/core/text.h"

namespace marey {
namespace {

enum class Seen : unsigned char { yes, no };
struct Character {
  std::uint32_t first, last;  // a range of them stands for a range of ASCII
  char ascii;                 // for the first; 0: for nothing
  const char* name;
  Seen seen = Seen::yes;
};
// By the Unicode Standard's names, shortened; https://www.unicode.org/charts/
constexpr Character table[] = {
    {0x00A0, 0x00A0, ' ', "no-break space", Seen::no},
    {0x00AB, 0x00AB, '"', "guillemet"},
    {0x00AD, 0x00AD, 0, "soft hyphen", Seen::no},
    {0x00B4, 0x00B4, '\'', "acute accent"},
    {0x00BB, 0x00BB, '"', "guillemet"},
    {0x00D7, 0x00D7, '*', "multiplication sign"},
    {0x00F7, 0x00F7, '/', "division sign"},
    {0x0660, 0x0669, '0', "Arabic-Indic digit"},
    {0x2000, 0x200A, ' ', "typographic space", Seen::no},
    {0x200B, 0x200F, 0, "character of no width", Seen::no},
    {0x2010, 0x2011, '-', "hyphen"},
    {0x2012, 0x2012, '-', "figure dash"},
    {0x2013, 0x2013, '-', "en dash"},
    {0x2014, 0x2015, '-', "em dash"},
    {0x2018, 0x201B, '\'', "curly quote"},
    {0x201C, 0x201F, '"', "curly quote"},
    {0x202A, 0x202E, 0, "character of no width", Seen::no},
    {0x202F, 0x202F, ' ', "narrow no-break space", Seen::no},
    {0x2044, 0x2044, '/', "fraction slash"},
    {0x205F, 0x205F, ' ', "typographic space", Seen::no},
    {0x2060, 0x2064, 0, "character of no width", Seen::no},
    {0x2212, 0x2212, '-', "minus sign"},
    {0x2215, 0x2215, '/', "division slash"},
    {0x2217, 0x2217, '*', "asterisk operator"},
    {0x2219, 0x2219, '*', "bullet operator"},
    {0x3000, 0x3000, ' ', "ideographic space", Seen::no},
    {0xFE58, 0xFE58, '-', "small em dash"},
    {0xFE63, 0xFE63, '-', "small hyphen"},
    {0xFEFF, 0xFEFF, 0, "byte order mark", Seen::no},
    {0xFF01, 0xFF5E, '!', "full-width character"},
};

// Of a character whose bytes are sound, or 0xFFFD.
std::uint32_t code_of(std::string_view c) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(c[i])); };
  if (c.size() == 1) return byte(0);
  if (c.size() == 2) return ((byte(0) & 0x1F) << 6) | (byte(1) & 0x3F);
  if (c.size() == 3) return ((byte(0) & 0x0F) << 12) | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F);
  return 0xFFFD;
}

}  // namespace

std::optional<LookAlike> find_look_alike(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++characters) {
    const std::size_t n = std::max<std::size_t>(1, utf8_length(text, i));
    const std::string_view letter = text.substr(i, n);
    i += n;
    if (n == 1) continue;
    const std::uint32_t code = code_of(letter);
    for (const Character& c : table) {
      if (code < c.first || code > c.last) continue;
      // Spaces, dashes and quotes of one range are one and the same; digits and letters follow their first.
      const bool follows = c.ascii == '0' || c.ascii == '!';
      const char ascii = static_cast<char>(c.ascii + (follows ? static_cast<int>(code - c.first) : 0));
      return LookAlike{characters, fmt::format("U+{:04X}", code), c.name, c.ascii == 0 ? "" : std::string(1, ascii),
                       c.seen == Seen::yes ? std::string(letter) : ""};
    }
  }
  return std::nullopt;
}

std::string look_alike_in(std::string_view text) {
  const std::optional<LookAlike> found = find_look_alike(text);
  if (!found) return {};
  return fmt::format("its character {}{} is {} ({}): {}", found->at + 1,
                     found->shown.empty() ? "" : ", '" + found->shown + "',", found->code, found->name,
                     found->instead.empty() ? "leave it out" : fmt::format("write '{}'", found->instead));
}

std::string found_text(std::string_view text) {
  const std::string culprit = look_alike_in(text);
  return culprit.empty() ? fmt::format("'{}'", printable(text)) : fmt::format("'{}' ({})", printable(text), culprit);
}

}  // namespace marey

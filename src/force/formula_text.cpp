#include "marey/force/formula_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/spec/values.h"

namespace marey {
namespace {

using Op = Formula::Op;

struct Function {
  const char* name;
  Op op;
  int arguments;
};
constexpr Function functions[] = {
    {"sqrt", Op::sqrt, 1}, {"sin", Op::sin, 1}, {"cos", Op::cos, 1},     {"tan", Op::tan, 1}, {"exp", Op::exp, 1},
    {"log", Op::log, 1},   {"abs", Op::abs, 1}, {"atan2", Op::atan2, 2}, {"min", Op::min, 2}, {"max", Op::max, 2}};
const Function* function_named(std::string_view name) {
  for (const Function& f : functions)
    if (name == f.name) return &f;
  return nullptr;
}

constexpr int deepest_nesting = 64;
constexpr std::size_t longest_program = 2000;
constexpr double largest_whole_power = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class FormulaReader {
 public:
  FormulaReader(const Value& node, const FormulaConstants& constants, FormulaUse use)
      : node_(node), text_(node.text), constants_(constants), use_(use) {}

  Formula read() {
    if (node_.kind != Value::Kind::scalar) refuse_value(node_, "a formula, such as '-k*x'");
    sum();
    skip_blanks();
    if (at_ < text_.size())
      wrong(is_letter(text_[at_]) &&
                    read_quantity("1 " + text_.substr(at_), kinds::number).problem.find("unknown unit") ==
                        std::string::npos
                ? "an operator or the end of the formula, whose numbers are in SI units and radians and have no unit"
                : "an operator or the end of the formula");
    check_what_never_changes();
    return std::move(formula_);
  }

 private:
  // ---- complaints
  Place place(std::size_t at) const {
    Place p = node_.at;
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };  // a character
    p.column += static_cast<int>(std::ranges::count_if(text_.substr(0, at), begins)) + (node_.quoted ? 1 : 0);
    return p;
  }
  [[noreturn]] void wrong(const std::string& expected) const {
    const std::string letter =
        at_ < text_.size() ? text_.substr(at_, std::max<std::size_t>(1, utf8_length(text_, at_))) : std::string();
    const std::string found = letter.empty() ? "the end of the formula" : fmt::format("'{}'", printable(letter));
    refuse(place(at_),
           fmt::format("found {} in {}; expected {}", found,
                       find_look_alike(letter) ? found_text(text_) : fmt::format("'{}'", printable(text_)), expected));
  }

  // ---- characters
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // ---- steps, with the height of the stack
  void push(const Formula::Step& step, int change) {
    depth_ += change;
    formula_.program.push_back(step);
    if (depth_ > Formula::deepest || formula_.program.size() > longest_program)
      refuse(place(at_), "found a formula that is too long or nested too deeply; expected a simpler one");
  }

  // ---- the grammar
  void sum() {
    if (++nesting_ > deepest_nesting) refuse(place(at_), "found too many brackets; expected a simpler formula");
    product();
    for (;;) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      product();
      push({plus ? Op::add : Op::subtract}, -1);
    }
    --nesting_;
  }
  void product() {
    signed_value();
    for (;;) {
      const bool times = take('*');
      if (!times && !take('/')) break;
      if (times && at_ < text_.size() && text_[at_] == '*') wrong("a factor; a power is written with ^: t^2");
      signed_value();
      push({times ? Op::multiply : Op::divide}, -1);
    }
  }
  void signed_value() {
    bool negative = false;
    for (;;) {
      if (take('-'))
        negative = !negative;
      else if (!take('+'))
        break;
    }
    power();
    if (negative) push({Op::negate}, 0);
  }
  void power() {
    value();
    if (!take('^')) return;
    const std::size_t begin = formula_.program.size();
    if (++nesting_ > deepest_nesting) wrong("a simpler formula");
    signed_value();
    --nesting_;
    double exponent = formula_.program[begin].value;
    const std::size_t steps = formula_.program.size() - begin;
    const bool negated = steps == 2 && formula_.program[begin + 1].op == Op::negate;
    if (negated) exponent = -exponent;
    const bool number = formula_.program[begin].op == Op::number && (steps == 1 || negated);
    if (number && exponent == std::round(exponent) && std::abs(exponent) <= largest_whole_power) {
      formula_.program.resize(begin);
      push({Op::whole_power, static_cast<int>(exponent)}, -1);
    } else {
      push({Op::power}, -1);
    }
  }
  void value() {
    if (take('(')) {
      sum();
      if (!take(')')) wrong("')'");
    } else if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
      number();
    } else if (at_ < text_.size() && is_letter(text_[at_])) {
      name();
    } else {
      wrong("a number, a name or '('");
    }
  }
  void number() {
    double x = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), x);
    if (error != std::errc{} || !std::isfinite(x)) wrong("a number, such as 9.81");
    const std::string found = "'" + text_.substr(at_, static_cast<std::size_t>(end - text_.data()) - at_) + "'";
    if (const std::string problem = problem_of_size(x, found, kinds::number); !problem.empty())
      refuse(place(at_), problem);
    at_ = static_cast<std::size_t>(end - text_.data());
    push({Op::number, 0, x}, 1);
  }
  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (const Function* f = function_named(word)) return call(*f);
    if (const auto constant = constants_.find(word); constant != constants_.end())
      return push({Op::number, 0, constant->second}, 1);
    if (word == "pi") return push({Op::number, 0, std::numbers::pi}, 1);
    for (int i = 0; i < formula_variables; ++i)
      if (word == formula_variable_names[static_cast<std::size_t>(i)] && may_read(i)) return push({Op::variable, i}, 1);
    std::vector<std::string> known = known_names();
    refuse(place(begin), fmt::format("found the unknown name '{}' in '{}';{} expected {}", word, printable(text_),
                                     did_you_mean(word, known), either(known)));
  }
  void call(const Function& f) {
    if (!take('(')) wrong(fmt::format("'(' after {}", f.name));
    for (int i = 0; i < f.arguments; ++i) {
      if (i > 0 && !take(',')) wrong(fmt::format("',' and the second argument of {}", f.name));
      sum();
    }
    if (!take(')')) wrong("')'");
    push({f.op}, 1 - f.arguments);
  }

  // If no variable is read, the value is already known.
  void check_what_never_changes() const {
    for (const Formula::Step& step : formula_.program)
      if (step.op == Op::variable) return;
    const double value = evaluate(formula_, FormulaInput<double>{});
    if (!(std::abs(value) <= kinds::number.most))
      refuse(node_.at, fmt::format("found '{}', whose value is {:.3g}; expected a number of at most {:g}",
                                   printable(text_), value, kinds::number.most));
  }

  bool may_read(int variable) const {
    constexpr int first_velocity = 3, time = 6;
    if (use_ == FormulaUse::time) return variable == time;
    return use_ == FormulaUse::place_and_velocity || variable < first_velocity || variable >= time;
  }
  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (int i = 0; i < formula_variables; ++i)
      if (may_read(i)) names.emplace_back(formula_variable_names[static_cast<std::size_t>(i)]);
    names.emplace_back("pi");
    for (const auto& [constant, value] : constants_) names.push_back(constant);
    for (const Function& f : functions) names.emplace_back(f.name);
    return names;
  }

  const Value& node_;
  const std::string& text_;
  const FormulaConstants& constants_;
  FormulaUse use_;
  Formula formula_;
  std::size_t at_ = 0;
  int depth_ = 0, nesting_ = 0;
};

}  // namespace

FormulaConstants read_constants(const Value* node) {
  FormulaConstants constants;
  if (!node) return constants;
  if (node->kind != Value::Kind::map) refuse_value(*node, "constants by name: {k: 3, omega: 2}");
  for (const ValueEntry& entry : node->entries) {
    bool good = !entry.key.empty() && is_letter(entry.key[0]);
    for (const char c : entry.key) good = good && (is_letter(c) || is_digit(c));
    if (!good)
      refuse(entry.key_at,
             fmt::format("found '{}' as the name of a constant; expected letters, digits and _", printable(entry.key)));
    bool taken = function_named(entry.key) || entry.key == "pi";
    for (const char* variable : formula_variable_names) taken = taken || entry.key == variable;
    if (taken)
      refuse(
          entry.key_at,
          fmt::format("found '{}' as the name of a constant, which formulas use for something else; expected another",
                      entry.key));
    constants[entry.key] = read_number(*entry.value, kinds::number);
  }
  return constants;
}

Formula read_formula(const Value& node, const FormulaConstants& constants, FormulaUse use) {
  return FormulaReader(node, constants, use).read();
}

Formula read_time_formula(const Value& node, const FormulaConstants& constants, const QuantityKind& kind) {
  Formula formula = read_formula(node, constants, FormulaUse::time);
  const double first = evaluate(formula, FormulaInput<double>{});
  const std::string found = fmt::format("'{}', which is {:.3g} at t = 0", printable(node.text), first);
  if (const std::string problem = problem_of_size(first, found, kind); std::isfinite(first) && !problem.empty())
    refuse(node.at, problem);
  return formula;
}

}  // namespace marey

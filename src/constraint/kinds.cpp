// Constraints of any kind: every question goes to the kind's own descriptor (src/constraint/kinds).
#include <algorithm>
#include <cmath>

#include "constraint/descriptor.h"

namespace marey {

const char* word_of(const Constraint& c) { return c.kind.law().word(); }
int row_count(const Constraint& c) { return c.kind.law().row_count(c.kind); }

void constraint_rows(const Constraint& c, const Instant<double>& now, std::span<ConstraintRow> rows) {
  // Nothing yet. Parts are there when they are put: to clear room for all of them would take longer than most rows.
  for (ConstraintRow& row : rows) {
    row.part_count = 0, row.holonomic = true;
    row.value = row.rate = row.time_rate = row.bias = row.compliance = 0;
  }
  c.kind.law().rows(c, now, rows);
}

bool acts_in_joints(const Constraint& c) { return c.kind.law().acts_in_joints(); }

std::vector<int> joints_of(const Constraint& c) {
  std::vector<int> links;
  c.kind.law().for_each_joint(c.kind, [&](int link) { links.push_back(link); });
  return links;
}

namespace {

bool reads_time(const TimeFunction& f) {
  return f.is_table() || std::any_of(f.formula.program.begin(), f.formula.program.end(),
                                     [](const Formula::Step& s) { return s.op == Formula::Op::variable; });
}

}  // namespace

bool moves_in_time(const Constraint& c) {
  bool moves = false;
  c.kind.law().for_each_function(c.kind, [&](const TimeFunction& f) { moves = moves || reads_time(f); });
  return moves;
}

namespace {
double earliest(const Constraint& c, double t, double (*next)(const TimeFunction&, double t)) {
  struct Search {
    double t, first;
    double (*next)(const TimeFunction&, double t);
  } search{t, forever, next};  // one reference to it fits in a std::function
  c.kind.law().for_each_function(
      c.kind, [&search](const TimeFunction& f) { search.first = std::min(search.first, search.next(f, search.t)); });
  return search.first;
}
}  // namespace

double next_kink(const Constraint& c, double t) { return earliest(c, t, next_kink); }
double next_knot(const Constraint& c, double t) { return earliest(c, t, next_knot); }

std::string refusal(const Model& model, const Constraint& c) {
  return c.until > c.from ? c.kind.law().refusal(model, c) : "it ends before it begins";
}

Constraint taken_as_is(const Constraint& c, const Instant<double>& now) {
  Constraint out = c;
  c.kind.law().take_as_is(out, now);
  return out;
}

std::array<double*, 2> made_numbers(Constraint& c) { return c.kind.law().made(c.kind); }

}  // namespace marey

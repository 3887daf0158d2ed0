// Checks that several kinds of elements apply to their parameters. Each gives a reason, or nothing if there is no
// objection.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "marey/force.h"

namespace marey {

std::string refusal_of_link(const Model&, int link);
std::string refusal_of_links(const Model&, const std::vector<int>& links, bool some);  // some: at least one
std::string refusal_of_angle(const Model&, int link, const NamedAngle&);
std::string refusal_of_table(const char* name, const TimeTable&, bool may_be_negative);
std::string refusal_of_constant(const char* name, double);  // expected: 0 or more
std::string refusal_of_ends(const Model&, const Anchor& a, const Anchor& b);
// Programs normally come from a reader that counts the stack; this catches those made by hand.
std::string refusal_of_formula(const Formula&);
std::string refusal_of_schedule(const Model&, const Schedule&);
std::string refusal_of_functions(std::span<const TimeFunction>);

std::string first_of(std::initializer_list<std::string> reasons);

}  // namespace marey

// Running formulas, and running them with their derivatives.
//
// Derivatives are carried along (forward mode): every number on the stack is (a, ∂a) with ∂ = ∂/∂x, ∂/∂y, ∂/∂z, ∂/∂t,
// and each operation follows the chain rule. At a corner of abs, min and max the derivative of one side is taken.
#include "marey/force/formula.h"

#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {

// ---- a number with its four derivatives; its functions overload those of all other scalars without hiding them
template <class T>
struct Sloped {
  T a{};
  std::array<T, 4> d{};
};
// f(x) with f′ at x.
template <class T>
Sloped<T> chain(const Sloped<T>& x, const T& f, const T& slope) {
  Sloped<T> y{f, {}};
  for (std::size_t k = 0; k < 4; ++k) y.d[k] = slope * x.d[k];
  return y;
}
// f(x, y) with its two partial derivatives.
template <class T>
Sloped<T> chain(const Sloped<T>& x, const Sloped<T>& y, const T& f, const T& fx, const T& fy) {
  Sloped<T> z{f, {}};
  for (std::size_t k = 0; k < 4; ++k) z.d[k] = fx * x.d[k] + fy * y.d[k];
  return z;
}
template <class T>
Sloped<T> operator+(const Sloped<T>& x, const Sloped<T>& y) {
  return chain(x, y, T(x.a + y.a), T(1), T(1));
}
template <class T>
Sloped<T> operator-(const Sloped<T>& x, const Sloped<T>& y) {
  return chain(x, y, T(x.a - y.a), T(1), T(-1));
}
template <class T>
Sloped<T> operator*(const Sloped<T>& x, const Sloped<T>& y) {
  return chain(x, y, T(x.a * y.a), y.a, x.a);
}
template <class T>
Sloped<T> operator/(const Sloped<T>& x, const Sloped<T>& y) {
  const T inverse = T(1) / y.a, f = x.a * inverse;
  return chain(x, y, f, inverse, T(-f * inverse));
}
template <class T>
Sloped<T> operator-(const Sloped<T>& x) {
  return chain(x, T(-x.a), T(-1));
}
template <class T>
Sloped<T> sqrt(const Sloped<T>& x) {
  const T f = sqrt(x.a);
  return chain(x, f, T(T(0.5) / f));
}
template <class T>
Sloped<T> sin(const Sloped<T>& x) {
  return chain(x, sin(x.a), cos(x.a));
}
template <class T>
Sloped<T> cos(const Sloped<T>& x) {
  return chain(x, cos(x.a), T(-sin(x.a)));
}
template <class T>
Sloped<T> exp(const Sloped<T>& x) {
  const T f = exp(x.a);
  return chain(x, f, f);
}
template <class T>
Sloped<T> log(const Sloped<T>& x) {
  return chain(x, log(x.a), T(T(1) / x.a));
}
template <class T>
Sloped<T> abs(const Sloped<T>& x) {
  return chain(x, abs(x.a), T(select(x.a < T(0), T(-1), T(1))));
}
template <class T>
Sloped<T> atan2(const Sloped<T>& y, const Sloped<T>& x) {
  const T s = T(1) / (x.a * x.a + y.a * y.a);
  return chain(y, x, atan2(y.a, x.a), T(s * x.a), T(-s * y.a));
}
template <class T>
Sloped<T> min(const Sloped<T>& x, const Sloped<T>& y) {
  const T first = select(x.a < y.a, T(1), T(0));
  return chain(x, y, T(min(x.a, y.a)), first, T(T(1) - first));
}
template <class T>
Sloped<T> max(const Sloped<T>& x, const Sloped<T>& y) {
  const T first = select(x.a > y.a, T(1), T(0));
  return chain(x, y, T(max(x.a, y.a)), first, T(T(1) - first));
}

namespace {

using Op = Formula::Op;

// ---- the machine, for plain scalars and for sloped ones
template <class N>
N whole_power(N base, int n, const N& one) {
  N result = one;
  for (unsigned left = static_cast<unsigned>(n < 0 ? -n : n); left > 0; left >>= 1) {
    if (left & 1) result = result * base;
    if (left > 1) base = base * base;
  }
  return n < 0 ? one / result : result;
}

template <class N>
N apply(Op op, const N& a) {
  switch (op) {
    case Op::negate:
      return -a;
    case Op::sqrt:
      return sqrt(a);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return sin(a) / cos(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    default:
      return abs(a);
  }
}
template <class N>
N apply(Op op, const N& a, const N& b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return exp(b * log(a));
    case Op::atan2:
      return atan2(a, b);
    case Op::min:
      return min(a, b);
    default:
      return max(a, b);
  }
}
bool takes_two(Op op) {
  return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide || op == Op::power ||
         op == Op::atan2 || op == Op::min || op == Op::max;
}

// `constant` makes an N from a double, `variable` makes one from the number of a variable.
template <class N, class Constant, class Variable>
N run(const Formula& formula, Constant constant, Variable variable) {
  if (formula.empty()) return constant(0);
  std::array<N, Formula::deepest> stack;
  std::size_t top = 0;  // how many are on it
  for (const Formula::Step& step : formula.program) {
    if (step.op == Op::number) {
      stack[top++] = constant(step.value);
    } else if (step.op == Op::variable) {
      stack[top++] = variable(step.index);
    } else if (step.op == Op::whole_power) {
      stack[top - 1] = whole_power(stack[top - 1], step.index, constant(1));
    } else if (takes_two(step.op)) {
      --top;
      stack[top - 1] = apply(step.op, stack[top - 1], stack[top]);
    } else {
      stack[top - 1] = apply(step.op, stack[top - 1]);
    }
  }
  return stack[0];
}

}  // namespace

Formula constant_formula(double value) { return {{{Op::number, 0, value}}}; }

template <class T>
T evaluate(const Formula& formula, const FormulaInput<T>& in) {
  return run<T>(
      formula, [](double x) { return T(x); }, [&](int i) { return in[static_cast<std::size_t>(i)]; });
}

template <class T>
FormulaSlopes<T> evaluate_with_slopes(const Formula& formula, const FormulaInput<T>& in) {
  constexpr int time = 6;  // its place among the variables
  const auto constant = [](double x) { return Sloped<T>{T(x), {T(0), T(0), T(0), T(0)}}; };
  const auto variable = [&](int i) {
    Sloped<T> x{in[static_cast<std::size_t>(i)], {T(0), T(0), T(0), T(0)}};
    if (i < 3) x.d[static_cast<std::size_t>(i)] = T(1);
    if (i == time) x.d[3] = T(1);
    return x;
  };
  const Sloped<T> f = run<Sloped<T>>(formula, constant, variable);
  return {f.a, {f.d[0], f.d[1], f.d[2]}, f.d[3]};
}

TimeVector::AtTime TimeVector::at(double t) const {
  AtTime out;
  FormulaInput<double> in{};
  in[6] = t;
  for (int k = 0; k < 3; ++k) {
    const FormulaSlopes<double> f = evaluate_with_slopes(of[static_cast<std::size_t>(k)], in);
    out.value[k] = f.value, out.rate[k] = f.rate;
  }
  return out;
}

#define MAREY_INSTANTIATE(T)                                   \
  template T evaluate(const Formula&, const FormulaInput<T>&); \
  template FormulaSlopes<T> evaluate_with_slopes(const Formula&, const FormulaInput<T>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey

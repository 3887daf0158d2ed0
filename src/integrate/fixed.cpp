// Methods of fixed step as Methods: Stepper<double> with dense output and steps that can be taken again.
//
// rk4 evaluates the end of each step for its dense output; the next step begins with just that evaluation, so that it
// costs four a step all the same. The Euler methods interpolate velocities straight, at their own order.
#include <algorithm>

#include "integrate/parts.h"

namespace marey {
namespace {

class Fixed final : public Method {
 public:
  Fixed(const MethodOptions& options, Flow& flow)
      : Method(flow),
        keeps_ends_(options.integrator == Integrator::rk4),
        stepper_(flow.model(), options.integrator, flow.rate_count(), flow.state_count()),
        q_0_(q_),
        v_0_(v_),
        vdot_0_(v_.size()),
        vdot_1_(v_.size()),
        rates_0_(flow.rate_count()),
        rates_1_(flow.rate_count()),
        integrals_(flow.rate_count()) {
    prepare(segment_, flow.model(), flow.rate_count(), 3, Segment::Coordinates::local, flow.state_count());
  }

  void restart(double t, std::span<const double> q, std::span<const double> v) override {
    if (!fitted_) fit();  // before what it is made of goes
    t_ = t;
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    end_known_ = false;
  }

  void step(double limit) override {
    q_0_ = q_, v_0_ = v_;
    if (keeps_ends_) {
      if (end_known_)
        vdot_0_.swap(vdot_1_), rates_0_.swap(rates_1_);
      else
        evaluate(t_, q_0_, v_0_, vdot_0_, rates_0_);
    }
    segment_.t_0 = t_;
    go(limit);
  }

  std::vector<double> memory() const override {
    std::vector<double> x{end_known_ ? 1.0 : 0.0};
    x.insert(x.end(), vdot_1_.begin(), vdot_1_.end());
    x.insert(x.end(), rates_1_.begin(), rates_1_.end());
    return x;
  }
  void recall(std::span<const double> x) override {
    end_known_ = x[0] != 0;
    std::copy_n(x.begin() + 1, vdot_1_.size(), vdot_1_.begin());
    std::copy_n(x.begin() + 1 + static_cast<std::ptrdiff_t>(vdot_1_.size()), rates_1_.size(), rates_1_.begin());
  }

  bool retake(double s) override {
    q_ = q_0_, v_ = v_0_;
    go(segment_.t_0 + s);
    return true;
  }

 private:
  void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                std::span<double> rates) {
    flow_.evaluate(t, q, v, vdot, rates);
    ++tally_.evaluations;
  }

  // From q_0, v_0, which q_ and v_ still hold, to t.
  void go(double t) {
    const double h = t - segment_.t_0;
    t_ = t;
    segment_.h = h;
    std::fill(integrals_.begin(), integrals_.end(), 0.0);
    bool first = keeps_ends_;
    stepper_.step(segment_.t_0, h, q_, v_, integrals_,
                  [&](double stage, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                      std::span<double> rates) {
                    if (!first) return evaluate(stage, q, v, vdot, rates);
                    first = false;
                    std::copy(vdot_0_.begin(), vdot_0_.end(), vdot.begin());
                    std::copy(rates_0_.begin(), rates_0_.end(), rates.begin());
                  });
    if (keeps_ends_) {
      evaluate(t_, q_, v_, vdot_1_, rates_1_);
      end_known_ = true;
    }
    fit_cubic_of_integrals(ends(), segment_);
    fitted_ = false;
  }
  // Until the next step begins all that the segment is made of stays.
  void fit() const override {
    fit_cubic_of_state(flow_.model(), ends(), segment_);
    fitted_ = true;
  }
  StepEnds ends() const {
    if (!keeps_ends_) return {q_0_, v_0_, {}, {}, q_, v_, {}, {}, integrals_};
    return {q_0_, v_0_, vdot_0_, rates_0_, q_, v_, vdot_1_, rates_1_, integrals_};
  }

  bool keeps_ends_, end_known_ = false;
  Stepper<double> stepper_;
  std::vector<double> q_0_, v_0_, vdot_0_, vdot_1_, rates_0_, rates_1_, integrals_;
};

}  // namespace

Method::Method(Flow& flow)
    : flow_(flow),
      q_(static_cast<std::size_t>(flow.model().nq)),
      v_(static_cast<std::size_t>(flow.model().nv) + flow.state_count()) {}

std::unique_ptr<Method> make_fixed(const MethodOptions& options, Flow& flow) {
  return std::make_unique<Fixed>(options, flow);
}

std::unique_ptr<Method> make_method(const MethodOptions& options, Flow& flow) {
  switch (options.integrator) {
    case Integrator::rk45:
      return make_rk45(options, flow);
    case Integrator::midpoint:
      return make_midpoint(options, flow);
    case Integrator::adams:
    case Integrator::bdf:
      return make_cvodes(options, flow);
    default:
      return make_fixed(options, flow);
  }
}

}  // namespace marey

// Methods of fixed step as Methods: Stepper<double> with dense output and steps that can be taken again.
//
// The curve is made when it is asked for: most steps are neither recorded nor looked at for switches. That of rk4 needs an
// evaluation at the end of the step; the next step begins with just that evaluation, so that it costs four a step all the
// same, whether it is asked for or not. The Euler methods interpolate velocities straight, at their own order.
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
    t_ = t;
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    end_known_ = curve_due_ = false;
  }

  void step(double limit) override {
    curve_due_ = false;
    q_0_ = q_, v_0_ = v_;
    if (keeps_ends_) {
      if (!end_known_) flow_.evaluate(t_, q_0_, v_0_, vdot_1_, rates_1_);
      vdot_0_.swap(vdot_1_), rates_0_.swap(rates_1_);
      ++tally_.evaluations;  // here, so that the number does not depend on who has asked for a curve
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

  void step_integrals(std::span<double> out) override { std::copy(integrals_.begin(), integrals_.end(), out.begin()); }

 private:
  // From q_0, v_0, which q_ and v_ still hold, to t.
  void go(double t) {
    const double h = t - segment_.t_0;
    t_ = t;
    segment_.h = h;
    std::fill(integrals_.begin(), integrals_.end(), 0.0);
    bool first = keeps_ends_;
    stepper_.move_only(flow_.moving_links());
    stepper_.step(segment_.t_0, h, q_, v_, integrals_,
                  [&](double stage, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                      std::span<double> rates) {
                    if (!first) {
                      ++tally_.evaluations;
                      return flow_.evaluate(stage, q, v, vdot, rates);
                    }
                    first = false;
                    std::copy(vdot_0_.begin(), vdot_0_.end(), vdot.begin());
                    std::copy(rates_0_.begin(), rates_0_.end(), rates.begin());
                  });
    end_known_ = false;
    curve_due_ = true;
  }

  void make_curve() override {
    StepEnds ends{q_0_, v_0_, {}, {}, q_, v_, {}, {}, integrals_};
    if (keeps_ends_) {
      if (!end_known_) flow_.evaluate(t_, q_, v_, vdot_1_, rates_1_);
      end_known_ = true;
      ends.vdot_0 = vdot_0_, ends.vdot_1 = vdot_1_, ends.rates_0 = rates_0_, ends.rates_1 = rates_1_;
    }
    fit_cubic(flow_.model(), ends, segment_);
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

static std::unique_ptr<Method> make_fixed(const MethodOptions& options, Flow& flow) {
  return std::make_unique<Fixed>(options, flow);
}
extern const MethodForm euler_method{1, true, false, make_fixed};
extern const MethodForm euler_second_method{1, true, false, make_fixed};
extern const MethodForm semi_implicit_method{1, true, false, make_fixed};
extern const MethodForm rk4_method{4, true, false, make_fixed};

}  // namespace marey

// Figures some of whose freedoms move as they are told, against M from rnea: it has no articulated inertias.
#include "marey/rows/held_response.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/random_figure.h"
#include "support/sizes.h"

namespace {

using namespace marey;
using Numbers = std::vector<double>;

struct Held {
  figures::Figure f;
  std::vector<unsigned char> held;
  HeldTreeResponse response;
  Held(int i, double share)
      : f(figures::random_figure(static_cast<std::uint64_t>(300 + i), options(i))), response(f.model) {
    figures::Random random(static_cast<std::uint64_t>(i));
    for (int k = 0; k < f.model.nv; ++k) held.push_back(random.chance(share) ? 1 : 0);
    response.factor(f.model, f.model.params, f.state.q, held);
  }
  static figures::Options options(int i) {
    figures::Options o = figures::options_of(i);
    o.links = 1 + i % 17, o.mass_ratio = 10;
    return o;
  }
};

// M x.
Numbers momentum(const figures::Figure& f, const Numbers& x) {
  Params<double> still = f.model.params;
  still.gravity = {};
  RneaWorkspace<double> ws(f.model);
  Numbers zero(x.size()), out(x.size());
  rnea<double>(f.model, still, f.state.q, zero, x, {}, ws, out);
  return out;
}
Numbers random_numbers(int n, int seed) {
  figures::Random random(static_cast<std::uint64_t>(seed));
  Numbers x;
  for (int k = 0; k < n; ++k) x.push_back(random.normal());
  return x;
}

// M Δv = p for what is given and what is found, and what is given stays.
TEST(HeldResponse, GivenAndFoundSatisfyTheEquationOfImpulses) {
  double worst = 0;
  for (int i = 0; i < 120; ++i) {
    Held h(i, 0.1 * (i % 11));
    const int n = h.f.model.nv;
    const Numbers given_p = random_numbers(n, i), given_dv = random_numbers(n, 1000 + i);
    Numbers p(given_p.size(), NAN), dv(p);
    for (std::size_t k = 0; k < p.size(); ++k) (h.held[k] ? dv : p)[k] = (h.held[k] ? given_dv : given_p)[k];
    h.response.respond_to_both(p, dv);
    const Numbers Mv = momentum(h.f, dv);
    const double scale = largest(Mv) + largest(p) + 1e-300;
    for (std::size_t k = 0; k < p.size(); ++k) {
      ASSERT_EQ((h.held[k] ? dv : p)[k], (h.held[k] ? given_dv : given_p)[k]);
      const double off = std::abs(Mv[k] - p[k]) / scale;
      ASSERT_TRUE(std::isfinite(off)) << "figure " << i;
      worst = std::max(worst, off);
    }
  }
  std::printf("M dv - p: %.1e of the largest (bound 1e-12)\n", worst);
  EXPECT_LE(worst, 1e-12);
}

// Of held freedoms nothing changes, and what acts on them does nothing; half of it twice is the whole.
TEST(HeldResponse, HeldFreedomsRestAndHalvesMakeTheWhole) {
  double worst = 0;
  for (int i = 0; i < 80; ++i) {
    Held h(i, 0.4);
    const int n = h.f.model.nv;
    Numbers p = random_numbers(n, i), p_2(p.size()), dv(p.size()), u(dv), Du(dv), u_2(dv), Du_2(dv);
    if (n > 0) p_2[static_cast<std::size_t>(i % n)] = 1;
    h.response.respond(p, dv);
    Numbers Mv = momentum(h.f, dv);
    const double scale = largest(Mv) + largest(p);
    for (std::size_t k = 0; k < p.size(); ++k) {
      EXPECT_TRUE(!h.held[k] || dv[k] == 0);
      worst = std::max(worst, h.held[k] ? 0 : std::abs(Mv[k] - p[k]) / scale);
    }
    ASSERT_TRUE(h.response.half_respond_to(p, u, Du) && h.response.half_respond_to(p_2, u_2, Du_2));
    double whole = 0, halves = 0, others = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      whole += p_2[k] * (h.held[k] ? 0 : dv[k]);
      halves += u[k] * Du_2[k], others += u_2[k] * Du[k];
    }
    EXPECT_NEAR(whole, halves, 1e-9 * (1 + largest(dv))) << i;
    EXPECT_NEAR(halves, others, 1e-12 * (1 + std::abs(halves))) << i;
  }
  std::printf("M dv - p of what is free: %.1e (bound 1e-12)\n", worst);
  EXPECT_LE(worst, 1e-12);
}

}  // namespace

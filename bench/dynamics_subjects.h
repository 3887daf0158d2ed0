// What `marey bench dynamics` times: figures in a ring of states, Marey's solvers and its rivals as subjects, and a
// judge of their results.
#pragma once

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "marey/dynamics/multipliers.h"
#include "peers/from_model.h"
#include "peers/peer.h"
#include "support/figures.h"

namespace marey::bench {

using peers::Peer;
using peers::PeerTask;
using Numbers = std::vector<double>;

constexpr int ring_size = 4;                // states
constexpr int dense_up_to = 16;             // links
constexpr double memory_limit = 512 << 20;  // bytes for a dense mass matrix
constexpr double load_limit_s = 30;         // to build a figure, or to answer

// ---- a figure in a ring of states ---------------------------------------------------------------------------------------

struct Case {
  std::string family;  // human, chain, tree
  int links = 0;
  Model model;
  std::vector<peers::PeerState> ring;

  std::string name() const { return family == "human" ? family : family + " " + std::to_string(links); }
};

inline Case make_case(const std::string& family, int links) {
  const ModelSpec spec = family == "human"   ? figures::human39()
                         : family == "chain" ? figures::chain(links)
                                             : figures::tree(links);
  Case c{family, links, freeze(spec), {}};
  figures::Figure figure{spec, c.model, {}, {}, {}};
  figures::Random random(2024);
  for (int i = 0; i < ring_size; ++i) {
    figures::random_state(random, figure);
    figures::random_forces(random, figure);
    Numbers vdot(static_cast<size_t>(c.model.nv));
    for (double& a : vdot) a = 5 * random.normal();
    c.ring.push_back(peers::peer_state(figure.state.q, figure.state.v, figure.tau, vdot));
  }
  return c;
}

// ---- subjects -----------------------------------------------------------------------------------------------------------

struct Batch {
  double ns = 0;        // per call
  int state = 0;        // of the last call
  double checksum = 0;  // the sum of what it computed
};

struct Subject {
  std::string name;
  PeerTask task = PeerTask::forward;
  std::function<std::optional<Numbers>(int state)> answer;
  std::function<std::optional<Batch>(int reps, int batches)> time;  // the fastest of some batches
  // found:
  std::string why;  // it is left out
  std::vector<Numbers> answers;
  double error = 0;
  int reps = 1, stride = 1;
  Numbers ns;  // [round taken part in]
  double best = 0;
};

inline double sum_of(const Numbers& a) {
  double sum = 0;
  for (double x : a) sum += x;
  return sum;
}

inline double thread_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

// One of Marey's solvers: call(state, out) computes, out keeps what was computed.
inline Subject marey_subject(const std::string& name, PeerTask task, size_t n_out, int ring,
                             const std::function<void(int state, std::span<double> out)>& call) {
  auto out = std::make_shared<Numbers>(n_out);
  auto at = std::make_shared<int>(-1);
  Subject subject;
  subject.name = name;
  subject.task = task;
  subject.answer = [=](int state) {
    call(state, *out);
    return *out;
  };
  subject.time = [=](int reps, int batches) {
    Batch best;
    best.ns = std::numeric_limits<double>::infinity();
    for (int batch = 0; batch < batches; ++batch) {
      const double start = thread_ns();
      for (int rep = 0; rep < reps; ++rep) {
        if (++*at >= ring) *at = 0;
        call(*at, *out);
      }
      best.ns = std::min(best.ns, (thread_ns() - start) / reps);
    }
    best.state = *at;
    best.checksum = sum_of(*out);
    return best;
  };
  return subject;
}

inline Subject absent_subject(const std::string& name, const std::string& why) {
  Subject subject;
  subject.name = name;
  subject.why = why;
  return subject;
}

template <class Workspace>
std::shared_ptr<Workspace> workspace_for(const Case& c) {
  return std::make_shared<Workspace>(c.model);
}

// The human with general joints instead of its ball joints: custom, ellipsoid and planar in turn, 39 degrees of freedom
// as before. Its coordinates differ, so its results are not compared here (./test agreement does that).
inline Subject general_path() {
  struct Human {
    figures::Figure figure;
    AbaWorkspace<double> aba{figure.model};
  };
  ModelSpec spec = figures::human39();
  int count = 0;
  for (LinkSpec& link : spec.links) {
    if (link.joint != JointType::ball) continue;
    link.joint =
        std::array{JointType::custom, JointType::ellipsoid, JointType::planar}[static_cast<size_t>(count++ % 3)];
    link.axis = {0, 0, 1}, link.axis_2 = {1, 0, 0}, link.radii = {0.03, 0.03, 0.04};
    link.custom.coordinates = {{"x"}, {"y"}, {"z"}};
    for (int k = 0; k < 3; ++k) {
      JointFunction slope;
      slope.coordinate = k, slope.polynomial = {0, 1};
      link.custom.functions[static_cast<size_t>(k)] = {slope};
    }
  }
  const auto human = std::make_shared<Human>(Human{figures::with_random_state(spec, 3)});
  Subject subject =
      marey_subject("aba, general", PeerTask::forward, static_cast<size_t>(human->figure.model.nv), 1,
                    [human](int, std::span<double> out) {
                      const figures::Figure& f = human->figure;
                      aba<double>(f.model, f.model.params, f.state.q, f.state.v, {f.tau, {}}, human->aba, out);
                    });
  subject.answers.assign(ring_size, *subject.answer(0));
  subject.error = std::numeric_limits<double>::quiet_NaN();
  return subject;
}

inline void add_forward_solvers(const Case& c, std::vector<Subject>& subjects) {
  const Model& model = c.model;
  const auto n = static_cast<size_t>(model.nv);
  const auto add = [&](const char* name, auto solver) {
    subjects.push_back(marey_subject(name, PeerTask::forward, n, ring_size, [&c, solver](int i, std::span<double> out) {
      const peers::PeerState& s = c.ring[static_cast<size_t>(i)];
      solver(std::span<const double>(s.q), std::span<const double>(s.v), Forces<double>{s.tau, {}}, out);
    }));
  };
  if (armstrong_applies(model))
    add("armstrong", [&model, w = workspace_for<ArmstrongWorkspace<double>>(c)](auto q, auto v, auto f, auto out) {
      armstrong<double>(model, model.params, q, v, f, *w, out);
    });
  add("aba", [&model, w = workspace_for<AbaWorkspace<double>>(c)](auto q, auto v, auto f, auto out) {
    aba<double>(model, model.params, q, v, f, *w, out);
  });
  add("multipliers", [&model, w = workspace_for<MultiplierWorkspace<double>>(c)](auto q, auto v, auto f, auto out) {
    multipliers<double>(model, model.params, q, v, f, *w, out);
  });
  const double matrix_bytes = static_cast<double>(n) * static_cast<double>(n) * sizeof(double);
  if (matrix_bytes <= memory_limit)
    add("crba", [&model, w = workspace_for<CrbaWorkspace<double>>(c)](auto q, auto v, auto f, auto out) {
      crba<double>(model, model.params, q, v, f, *w, out);
    });
  else
    subjects.push_back(absent_subject(
        "crba", "its mass matrix would take " + std::to_string(static_cast<long>(matrix_bytes / 1e6)) + " MB"));
  if (c.links <= dense_up_to)
    add("dense", [&model](auto q, auto v, auto f, auto out) { dense(model, model.params, q, v, f, out); });
}

inline void add_inverse_solver(const Case& c, std::vector<Subject>& subjects) {
  const auto workspace = workspace_for<RneaWorkspace<double>>(c);
  subjects.push_back(marey_subject("rnea", PeerTask::inverse, static_cast<size_t>(c.model.nv), ring_size,
                                   [&c, workspace](int i, std::span<double> out) {
                                     const peers::PeerState& s = c.ring[static_cast<size_t>(i)];
                                     rnea<double>(c.model, c.model.params, s.q, s.v, s.vdot, {}, *workspace, out);
                                   }));
}

// The full matrix is written out only where a result is requested.
inline void add_mass_matrix_solver(const Case& c, std::vector<Subject>& subjects) {
  const auto n = static_cast<size_t>(c.model.nv);
  const auto workspace = workspace_for<CrbaWorkspace<double>>(c);
  const auto compute = [&c, workspace](int i) {
    mass_matrix<double>(c.model, c.model.params, c.ring[static_cast<size_t>(i)].q, *workspace);
  };
  const auto full = [n, workspace] {
    Numbers M(n * n);
    for (size_t r = 0; r < n; ++r)
      for (size_t k = 0; k <= r; ++k) M[r * n + k] = M[k * n + r] = workspace->M[r * n + k];
    return M;
  };
  Subject subject =
      marey_subject("crba", PeerTask::massmatrix, 0, ring_size, [compute](int i, std::span<double>) { compute(i); });
  subject.answer = [compute, full](int i) {
    compute(i);
    return full();
  };
  subject.time = [time = subject.time, full](int reps, int batches) {
    std::optional<Batch> batch = time(reps, batches);
    batch->checksum = sum_of(full());
    return batch;
  };
  subjects.push_back(subject);
}

inline Subject peer_subject(Peer& peer, PeerTask task) {
  Subject subject;
  subject.name = peer.name();
  subject.task = task;
  subject.answer = [&peer, task](int state) { return peer.ask(task, state, load_limit_s); };
  subject.time = [&peer, task](int reps, int batches) -> std::optional<Batch> {
    const auto timing = peer.time(task, reps, batches, 60);
    if (!timing) return std::nullopt;
    return Batch{*std::min_element(timing->ns_per_call.begin(), timing->ns_per_call.end()), timing->state,
                 timing->checksum};
  };
  return subject;
}

// ---- checking -----------------------------------------------------------------------------------------------------------

inline double largest(const Numbers& a) {
  double most = 0;
  for (double x : a) most = std::isfinite(x) ? std::max(most, std::abs(x)) : std::numeric_limits<double>::infinity();
  return most;
}

inline double difference(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  Numbers d(a.size());
  for (size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return largest(d);
}

// How wrong an answer is, relative to the largest force in play. Forward: |rnea(v̇) − τ| over |M v̇| + |b| + |τ|.
class Judge {
 public:
  explicit Judge(const Case& c) : c_(c), workspace_(c.model) {}

  double error(PeerTask task, int state, const Numbers& answer) {
    if (!std::isfinite(largest(answer))) return std::numeric_limits<double>::infinity();
    const peers::PeerState& s = c_.ring[static_cast<size_t>(state)];
    if (task == PeerTask::massmatrix) return matrix_error(state, answer);
    const bool forward = task == PeerTask::forward || task == PeerTask::forward_whole;
    if (answer.size() != s.v.size()) return std::numeric_limits<double>::infinity();
    const Numbers& vdot = forward ? answer : s.vdot;
    const Numbers& tau = forward ? s.tau : answer;
    const Numbers needed = inverse(s, vdot), bias = inverse(s, Numbers(s.v.size(), 0));
    return difference(needed, tau) / (difference(needed, bias) + largest(bias) + largest(tau));
  }

 private:
  Numbers inverse(const peers::PeerState& s, const Numbers& vdot) {
    Numbers tau(vdot.size());
    rnea<double>(c_.model, c_.model.params, s.q, s.v, vdot, {}, workspace_, tau);
    return tau;
  }
  // M v̇ against rnea(v̇) − b, relative to |M v̇|.
  double matrix_error(int state, const Numbers& M) {
    const peers::PeerState& s = c_.ring[static_cast<size_t>(state)];
    const size_t n = s.v.size();
    if (M.size() != n * n) return std::numeric_limits<double>::infinity();
    const Numbers needed = inverse(s, s.vdot), bias = inverse(s, Numbers(n, 0));
    Numbers left(n), right(n);
    for (size_t r = 0; r < n; ++r) {
      right[r] = needed[r] - bias[r];
      for (size_t k = 0; k < n; ++k) left[r] += M[r * n + k] * s.vdot[k];
    }
    return difference(left, right) / (largest(right) + largest(bias));
  }

  const Case& c_;
  RneaWorkspace<double> workspace_;
};

}  // namespace marey::bench

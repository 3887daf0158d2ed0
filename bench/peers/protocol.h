// The peer's side of PROTOCOL.md: reads requests from standard input, hands them to a Rival, answers on
// standard output. Each peer program derives one Rival from its engine and calls serve(). C++17, as Simbody's
// headers know no later one.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "figure.h"

namespace marey::peers {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

// The engine cannot hold this figure or do this task.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The request is not sound.
struct BadRequest : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A motion computed by the engine's own integrator.
struct Integration {
  std::vector<double> q, v;  // at the end, in the coordinates of the protocol
  double evaluations = 0;    // of the accelerations
  double seconds = 0;        // of thread CPU time, without setting up
};
struct IntegratorName {
  std::string name;
  bool chosen_steps = false;  // its setting is an accuracy, else a step in s
};

// Steps of one length that make a duration: the asked one, shortened until a whole number of them does.
struct EqualSteps {
  EqualSteps(double asked, double duration)
      : count(static_cast<long long>(std::ceil(duration / asked * (1 - 1e-12)))),
        length(duration / static_cast<double>(count)) {}
  long long count;
  double length;  // s
};

class Rival {
 public:
  virtual ~Rival() = default;
  virtual std::string name_and_version() const = 0;
  virtual void load(const PeerFigure& figure) = 0;  // throws Refused
  // Converts the states to the engine's own coordinates, ahead of any timing.
  virtual void set_states(const std::vector<PeerState>& states) = 0;
  // The timed part: puts state i into the engine and computes. Throws Refused for a task it does not have.
  virtual void run(PeerTask task, int i) = 0;
  // What the last run computed for state i, in the coordinates of the protocol.
  virtual std::vector<double> result(PeerTask task, int i) = 0;

  // What acts in the joints of motions beside gravity, from now on; load() ends it.
  virtual void set_acting(const PeerActing&) { throw Refused("nothing can act in its joints here"); }
  // The integrators of the engine, and the motion from state i on by one of them; nothing acts but gravity and the above.
  virtual std::vector<IntegratorName> integrators() const { return {}; }
  virtual Integration integrate(const std::string& name, double setting, double duration, int i) {
    (void)setting, (void)duration, (void)i;
    throw Refused("there is no integrator '" + name + "'");
  }
};

// ---- conversions every peer needs
// -----------------------------------------------------------------------------------

inline Vector3d vector_of(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }
inline Vector3d vector_at(const std::vector<double>& a, int i) {
  const double* p = a.data() + i;
  return {p[0], p[1], p[2]};
}
inline Quaterniond quaternion_of(const std::array<double, 4>& a) {
  return Quaterniond(a[0], a[1], a[2], a[3]).normalized();
}
inline Quaterniond quaternion_at(const std::vector<double>& a, int i) {
  const double* p = a.data() + i;
  return Quaterniond(p[0], p[1], p[2], p[3]).normalized();
}
inline void put(std::vector<double>& a, int i, const Vector3d& x) {
  for (int k = 0; k < 3; ++k) a[static_cast<size_t>(i + k)] = x[k];
}
inline void put(std::vector<double>& a, int i, const Quaterniond& x) {
  const double numbers[4] = {x.w(), x.x(), x.y(), x.z()};
  std::copy(numbers, numbers + 4, a.begin() + i);
}

// About Bo, in B.
inline Matrix3d inertia_about_origin(const PeerLink& link) {
  const auto& J = link.J_BBo_B;
  Matrix3d matrix;
  matrix << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
  return matrix;
}

// About Bcm, in B: J_BBcm = J_BBo - m (c·c 1 - c cᵀ).
inline Matrix3d inertia_about_com(const PeerLink& link) {
  const Vector3d c = vector_of(link.p_BoBcm_B);
  return inertia_about_origin(link) - link.mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
}

struct PrincipalAxes {
  Vector3d moments;
  Matrix3d R_BA;  // the principal frame A, right-handed
};
inline PrincipalAxes principal_axes(const PeerLink& link) {
  const Matrix3d J = inertia_about_com(link);
  if (J.isDiagonal(1e-15)) return {J.diagonal(), Matrix3d::Identity()};
  const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(J);
  Matrix3d R = solver.eigenvectors();
  if (R.determinant() < 0) R.col(2) = -R.col(2);
  return {solver.eigenvalues(), R};
}

// Where each link's coordinates begin.
struct Offsets {
  std::vector<int> q, v;
  int nq = 0, nv = 0;
  Offsets() = default;
  explicit Offsets(const PeerFigure& figure) {
    for (const PeerLink& link : figure.links) {
      q.push_back(nq);
      v.push_back(nv);
      nq += joint_nq(link.joint);
      nv += joint_nv(link.joint);
    }
  }
};

// ---- reading requests
// -----------------------------------------------------------------------------------------------

class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view next(const char* what) {
    skip_space();
    if (rest_.empty()) throw BadRequest(std::string("expected ") + what + ", found the end of the line");
    const size_t end = std::min(rest_.find_first_of(" \t\r"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }
  double number(const char* what) {
    const std::string_view word = next(what);
    double value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      throw BadRequest(std::string("expected ") + what + ", found '" + shortened(word) + "'");
    return value;
  }
  int integer(const char* what, int least, int most) {
    const std::string_view word = next(what);
    int value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size() || value < least || value > most)
      throw BadRequest(std::string("expected ") + what + " from " + std::to_string(least) + " to " +
                       std::to_string(most) + ", found '" + shortened(word) + "'");
    return value;
  }
  template <class Numbers>
  void numbers(Numbers& out, const char* what) {
    for (double& x : out) x = number(what);
  }
  void keyword(const char* word) {
    const std::string_view found = next(word);
    if (found != word) throw BadRequest(std::string("expected '") + word + "', found '" + shortened(found) + "'");
  }
  void end() {
    skip_space();
    if (!rest_.empty()) throw BadRequest("unexpected '" + shortened(rest_) + "' at the end of the line");
  }

 private:
  static std::string shortened(std::string_view word) { return std::string(word.substr(0, 40)); }
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }
  std::string_view rest_;
};

template <class Numbers>
void check_unit(const Numbers& a, const char* what) {
  double sum = 0;
  for (double x : a) sum += x * x;
  if (std::abs(sum - 1) > 1e-9) throw BadRequest(std::string(what) + " is not of unit length");
}

inline PeerLink parse_link(std::string_view line, int index) {
  Words words(line);
  PeerLink link;
  link.parent = words.integer("a parent", 0, index - 1);
  const std::string_view joint = words.next("a joint");
  size_t kind = 0;
  while (kind < peer_joint_names.size() && joint != peer_joint_names[kind]) ++kind;
  if (kind == peer_joint_names.size()) throw BadRequest("unknown joint '" + std::string(joint.substr(0, 40)) + "'");
  link.joint = static_cast<PeerJoint>(kind);
  words.numbers(link.quat_PF, "a quaternion");
  check_unit(link.quat_PF, "the quaternion");
  words.numbers(link.p_PoFo_P, "a position");
  words.numbers(link.axis_F, "an axis");
  if (link.joint == PeerJoint::hinge || link.joint == PeerJoint::slider) check_unit(link.axis_F, "the axis");
  link.mass = words.number("a mass");
  words.numbers(link.p_BoBcm_B, "a mass centre");
  words.numbers(link.J_BBo_B, "an inertia");
  words.end();
  if (link.mass < 0) throw BadRequest("the mass is negative");
  return link;
}

// ---- timing
// ---------------------------------------------------------------------------------------------------------

inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// ---- the conversation
// -----------------------------------------------------------------------------------------------

class Server {
 public:
  Server(Rival& rival, std::FILE* out) : rival_(rival), out_(out) {}

  void run() {
    std::string line;
    while (read(line)) {
      if (line.empty()) continue;
      if (line == "quit") return;
      say(answer_or_error(line));
    }
  }

 private:
  static constexpr int most_links = 1 << 20;
  static constexpr int most_states = 1 << 16;

  std::string answer_or_error(const std::string& line) try { return answer(line); } catch (const Refused& e) {
    return std::string("refused ") + e.what();
  } catch (const std::bad_alloc&) {
    return "refused out of memory";
  } catch (const std::exception& e) {
    return std::string("error ") + e.what();
  }

  std::string answer(const std::string& line) {
    Words words(line);
    const std::string_view request = words.next("a request");
    if (request == "hello") {
      words.end();
      return "hello " + rival_.name_and_version() + " double";
    }
    if (request == "figure") return figure(words);
    if (request == "states") return states(words);
    if (request == "acting") return acting(words);
    if (request == "time") return time(words);
    if (request == "integrators") return integrators(words);
    if (request == "integrate") return integrate(words);
    if (const auto task = task_named(request)) return compute(*task, words);
    throw BadRequest("unknown request '" + std::string(request.substr(0, 40)) + "'");
  }

  std::string figure(Words& words) {
    has_figure_ = false;
    states_.clear();
    const int n = words.integer("a number of links", 0, most_links);
    words.end();
    // All lines of the request are read, whatever is wrong with the first.
    const std::vector<std::string> lines = read_lines(n + 1);
    if (n == 0) throw BadRequest("a figure needs a link");
    figure_ = PeerFigure{};
    for (int i = 0; i < n; ++i) {
      try {
        figure_.links.push_back(parse_link(lines[static_cast<size_t>(i)], i + 1));
      } catch (const BadRequest& e) {
        throw BadRequest("link " + std::to_string(i + 1) + ": " + e.what());
      }
    }
    Words gravity(lines.back());
    gravity.keyword("gravity");
    gravity.numbers(figure_.gravity, "gravity");
    gravity.end();
    rival_.load(figure_);
    has_figure_ = true;
    return "ok " + std::to_string(figure_.nq()) + " " + std::to_string(figure_.nv());
  }

  std::string states(Words& words) {
    states_.clear();
    const int n = words.integer("a number of states", 0, most_states);
    words.end();
    const std::vector<std::string> lines = read_lines(4 * n);
    need_figure();
    std::vector<PeerState> states(static_cast<size_t>(n));
    const auto nq = static_cast<size_t>(figure_.nq()), nv = static_cast<size_t>(figure_.nv());
    for (size_t i = 0; i < states.size(); ++i) {
      parse_numbers(lines[4 * i], "q", nq, states[i].q);
      parse_numbers(lines[4 * i + 1], "v", nv, states[i].v);
      parse_numbers(lines[4 * i + 2], "tau", nv, states[i].tau);
      parse_numbers(lines[4 * i + 3], "vdot", nv, states[i].vdot);
      check_quaternions(states[i].q);
    }
    rival_.set_states(states);
    states_ = std::move(states);
    at_ = -1;
    return "ok " + std::to_string(n);
  }

  std::string acting(Words& words) {
    words.end();
    const std::vector<std::string> lines = read_lines(3);
    need_figure();
    const auto nv = static_cast<size_t>(figure_.nv());
    PeerActing acting;
    parse_numbers(lines[0], "torque", nv, acting.torque);
    parse_numbers(lines[1], "stiffness", nv, acting.stiffness);
    parse_numbers(lines[2], "damping", nv, acting.damping);
    size_t v = 0;
    for (const PeerLink& link : figure_.links)
      for (int k = 0; k < joint_nv(link.joint); ++k, ++v)
        if (joint_nv(link.joint) > 1 && acting.stiffness[v] != 0)
          throw BadRequest("stiffness is for hinges and sliders");
    rival_.set_acting(acting);
    return "ok";
  }

  std::string compute(PeerTask task, Words& words) {
    need_states();
    const int i = words.integer("a state", 0, static_cast<int>(states_.size()) - 1);
    words.end();
    rival_.run(task, i);
    const bool forces = task == PeerTask::inverse || task == PeerTask::inverse_whole;
    std::string text = task == PeerTask::massmatrix ? "massmatrix" : forces ? "tau" : "vdot";
    append_numbers(text, rival_.result(task, i));
    return text;
  }

  std::string time(Words& words) {
    need_states();
    const auto task = task_named(words.next("a task"));
    if (!task) throw BadRequest("unknown task");
    const int reps = words.integer("a number of calls", 1, 1 << 30);
    const int batches = words.integer("a number of batches", 1, 1 << 20);
    words.end();
    const int ring = static_cast<int>(states_.size());
    if (ring < 2) throw BadRequest("timing needs two states or more, or an engine may remember the answer");
    std::string text = "time";
    for (int batch = 0; batch < batches; ++batch) {
      const double start = thread_seconds();
      for (int rep = 0; rep < reps; ++rep) {
        if (++at_ >= ring) at_ = 0;
        rival_.run(*task, at_);
      }
      append_number(text, (thread_seconds() - start) * 1e9 / reps);
    }
    double checksum = 0;
    for (double x : rival_.result(*task, at_)) checksum += x;
    text += " state " + std::to_string(at_);
    text += " checksum";
    append_number(text, checksum);
    return text;
  }

  std::string integrators(Words& words) const {
    words.end();
    std::string text = "integrators";
    for (const IntegratorName& i : rival_.integrators())
      text += " " + i.name + (i.chosen_steps ? " accuracy" : " step");
    return text;
  }

  std::string integrate(Words& words) {
    need_states();
    const std::string name(words.next("an integrator"));
    const double setting = words.number("a step or an accuracy"), duration = words.number("a duration");
    const int i = words.integer("a state", 0, static_cast<int>(states_.size()) - 1);
    words.end();
    if (!(setting > 0) || !(duration > 0)) throw BadRequest("step, accuracy and duration are above zero");
    const Integration done = rival_.integrate(name, setting, duration, i);
    std::string text = "end";
    append_numbers(text, done.q);
    append_numbers(text, done.v);
    text += " evaluations";
    append_number(text, done.evaluations);
    text += " seconds";
    append_number(text, done.seconds);
    return text;
  }

  static std::optional<PeerTask> task_named(std::string_view name) {
    for (size_t i = 0; i < peer_task_names.size(); ++i)
      if (name == peer_task_names[i]) return static_cast<PeerTask>(i);
    return std::nullopt;
  }

  void parse_numbers(const std::string& line, const char* word, size_t n, std::vector<double>& out) const {
    Words words(line);
    words.keyword(word);
    out.resize(n);
    words.numbers(out, word);
    words.end();
  }

  void check_quaternions(const std::vector<double>& q) const {
    int at = 0;
    for (const PeerLink& link : figure_.links) {
      if (link.joint == PeerJoint::ball || link.joint == PeerJoint::free) {
        const double* p = q.data() + at;
        check_unit(std::array<double, 4>{p[0], p[1], p[2], p[3]}, "a quaternion of q");
      }
      at += joint_nq(link.joint);
    }
  }

  void need_figure() const {
    if (!has_figure_) throw BadRequest("there is no figure");
  }
  void need_states() const {
    need_figure();
    if (states_.empty()) throw BadRequest("there are no states");
  }

  bool read(std::string& line) {
    line.clear();
    for (int c = std::getchar(); c != '\n'; c = std::getchar()) {
      if (c == EOF) return false;
      line.push_back(static_cast<char>(c));
    }
    return true;
  }

  std::vector<std::string> read_lines(int n) {
    std::vector<std::string> lines(static_cast<size_t>(n));
    for (std::string& line : lines)
      if (!read(line)) throw BadRequest("the input ended inside a request");
    return lines;
  }

  void say(std::string text) {
    for (char& c : text)
      if (c == '\n' || c == '\r') c = ' ';
    text += "\n";
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
  }

  Rival& rival_;
  std::FILE* out_;
  PeerFigure figure_;
  std::vector<PeerState> states_;
  bool has_figure_ = false;
  int at_ = -1;  // the state the timing last stood at
};

// Engines print warnings where they like: answers get a descriptor of their own, and what is printed to
// standard output goes to standard error instead.
inline std::FILE* answers() {
  static std::FILE* const out = [] {
    const int fd = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return fdopen(fd, "w");
  }();
  return out;
}

// For engines that report fatal trouble through a callback they do not return from.
[[noreturn]] inline void fail(const std::string& why) {
  std::string text = "error " + why;
  for (char& c : text)
    if (c == '\n') c = ' ';
  std::fprintf(answers(), "%s\n", text.c_str());
  std::fflush(answers());
  std::_Exit(1);
}

inline int serve(Rival& rival) {
  Server(rival, answers()).run();
  return 0;
}

}  // namespace marey::peers

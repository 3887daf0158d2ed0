// The parent's side of PROTOCOL.md: runs a peer program and asks it.
//
//   Peer mujoco("mujoco");
//   if (!mujoco.running()) … mujoco.why() …
//   if (mujoco.load(figure) && mujoco.set_states(states))
//     if (auto vdot = mujoco.ask(PeerTask::forward, 0)) …
//
// Whatever goes wrong (no such program, refusal, crash, silence) is a false or empty answer and a sentence in
// why().
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "figure.h"

namespace marey::peers {

struct PeerTiming {
  std::vector<double> ns_per_call;  // one per batch
  int state = 0;                    // the state of the last timed call
  double checksum = 0;              // the sum of what that call computed
};

// What an engine's own integrator made of a state.
struct PeerMotion {
  std::vector<double> q, v;
  double evaluations = 0, seconds = 0;
};
struct PeerIntegrator {
  std::string name;
  bool chosen_steps = false;  // its setting is an accuracy, else a step
};

class Peer {
 public:
  // peer_NAME is looked for beside the running program, unless told otherwise.
  explicit Peer(std::string name, const std::string& directory = program_directory())
      : name_(std::move(name)), path_(directory + "/peer_" + name_) {
    start();
  }
  ~Peer() { stop(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }  // "MuJoCo 2.2.2 double"
  bool running() const { return socket_ >= 0; }
  // Of the last answer that was no answer.
  const std::string& why() const { return why_; }
  // Whether it was the engine that cannot, rather than something that went wrong.
  bool refused() const { return refused_; }

  // Starts the program anew after a crash or a silence. The figure must be loaded again.
  bool start() {
    stop();
    if (!spawn()) return false;
    const auto answer = request("hello\n", 20);
    if (!answer) {
      why_ = "peer_" + name_ + " does not start: " + why_;
      return false;
    }
    if (answer->rfind("hello ", 0) != 0) return give_up("peer_" + name_ + " does not speak the protocol");
    version_ = answer->substr(6);
    return true;
  }

  bool load(const PeerFigure& figure, double timeout_s = 60) {
    const auto answer = request(to_text(figure), timeout_s);
    if (!answer) return false;
    const std::string expected = "ok " + std::to_string(figure.nq()) + " " + std::to_string(figure.nv());
    return *answer == expected || give_up("unexpected answer: " + *answer);
  }

  bool set_states(const std::vector<PeerState>& states, double timeout_s = 60) {
    const auto answer = request(to_text(states), timeout_s);
    return answer && (*answer == "ok " + std::to_string(states.size()) || give_up("unexpected answer: " + *answer));
  }

  // What acts in the joints of motions from now on, until a figure is loaded.
  bool set_acting(const PeerActing& acting, double timeout_s = 60) {
    const auto answer = request(to_text(acting), timeout_s);
    return answer && (*answer == "ok" || give_up("unexpected answer: " + *answer));
  }

  // forward: accelerations; inverse: forces; massmatrix: row by row.
  std::optional<std::vector<double>> ask(PeerTask task, int state, double timeout_s = 60) {
    const auto answer = request(word(task) + " " + std::to_string(state) + "\n", timeout_s);
    if (!answer) return std::nullopt;
    const size_t begin = answer->find(' ');
    std::vector<double> numbers;
    if (begin != std::string::npos) parse(answer->c_str() + begin, numbers);
    return numbers;
  }

  std::optional<PeerTiming> time(PeerTask task, int reps, int batches, double timeout_s = 60) {
    const auto answer =
        request("time " + word(task) + " " + std::to_string(reps) + " " + std::to_string(batches) + "\n", timeout_s);
    if (!answer) return std::nullopt;
    PeerTiming timing;
    const char* rest = parse(answer->c_str() + std::strlen("time"), timing.ns_per_call);
    double sum = 0;
    if (answer->rfind("time ", 0) != 0 || std::sscanf(rest, " state %d checksum %lf", &timing.state, &sum) != 2) {
      give_up("unexpected answer: " + *answer);
      return std::nullopt;
    }
    timing.checksum = sum;
    return timing;
  }

  std::vector<PeerIntegrator> integrators(double timeout_s = 20) {
    std::vector<PeerIntegrator> found;
    const auto answer = request("integrators\n", timeout_s);
    if (!answer) return found;
    std::istringstream words(*answer);
    std::string name, kind;
    words >> name;
    while (words >> name >> kind) found.push_back({name, kind == "accuracy"});
    return found;
  }

  // From `state` of the figure that was loaded with nq coordinates.
  std::optional<PeerMotion> integrate(const std::string& integrator, double setting, double duration, int state,
                                      size_t nq, double timeout_s = 60) {
    std::string text = "integrate " + integrator;
    append_numbers(text, std::array<double, 2>{setting, duration});
    const auto answer = request(text + " " + std::to_string(state) + "\n", timeout_s);
    if (!answer) return std::nullopt;
    PeerMotion motion;
    if (answer->rfind("end ", 0) == 0) {
      const char* rest = parse(answer->c_str() + std::strlen("end"), motion.q);
      if (motion.q.size() > nq &&
          std::sscanf(rest, " evaluations %lf seconds %lf", &motion.evaluations, &motion.seconds) == 2) {
        motion.v.assign(motion.q.begin() + static_cast<std::ptrdiff_t>(nq), motion.q.end());
        motion.q.resize(nq);
        return motion;
      }
    }
    give_up("unexpected answer: " + *answer);
    return std::nullopt;
  }

  static std::string program_directory() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    const std::string program(path, length > 0 ? static_cast<size_t>(length) : 0);
    const size_t slash = program.rfind('/');
    return slash == std::string::npos ? "." : program.substr(0, slash);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::string word(PeerTask task) { return peer_task_names[static_cast<size_t>(task)]; }

  // Reads numbers as long as there are any; returns where it stopped.
  static const char* parse(const char* text, std::vector<double>& numbers) {
    for (;;) {
      char* end = nullptr;
      const double x = std::strtod(text, &end);
      if (end == text) return text;
      numbers.push_back(x);
      text = end;
    }
  }

  bool fail(std::string why, bool refused = false) {
    why_ = std::move(why);
    refused_ = refused;
    return false;
  }
  // For a peer that is not to be trusted any more.
  bool give_up(std::string why) {
    stop();
    return fail(std::move(why));
  }

  bool spawn() {
    if (access(path_.c_str(), X_OK) != 0) return fail("peer_" + name_ + " is not installed");
    int ends[2];
    // Sockets rather than pipes: writing to one whose other end is gone is an error, not a signal.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail("no socket for peer_" + name_);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    char* const arguments[] = {path_.data(), nullptr};
    const int failed = posix_spawn(&process_, path_.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
      close(ends[0]);
      process_ = -1;
      return fail("peer_" + name_ + " cannot be run: " + std::strerror(failed));
    }
    socket_ = ends[0];
    return true;
  }

  void stop() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    buffer_.clear();
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  // The answer to a request, unless it is a refusal or an error.
  std::optional<std::string> request(const std::string& text, double timeout_s) {
    if (!running()) {
      if (why_.empty()) why_ = "peer_" + name_ + " is not running";
      refused_ = false;
      return std::nullopt;
    }
    const auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
    std::string line;
    if (!send_all(text, deadline) || !receive_line(line, deadline)) return std::nullopt;
    if (line.rfind("refused ", 0) == 0) return fail(line.substr(8), true), std::nullopt;
    if (line.rfind("error ", 0) == 0) return fail(line.substr(6)), std::nullopt;
    return line;
  }

  bool wait_for(short event, Clock::time_point deadline) {
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return give_up("peer_" + name_ + " did not answer in time");
      pollfd wait{socket_, event, 0};
      const int ready = poll(&wait, 1, static_cast<int>(left < 1000000 ? left : 1000000));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return give_up("cannot wait for peer_" + name_);
    }
  }

  bool send_all(const std::string& text, Clock::time_point deadline) {
    size_t sent = 0;
    while (sent < text.size()) {
      if (!wait_for(POLLOUT, deadline)) return false;
      const ssize_t n = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (n < 0) return ended();
      sent += static_cast<size_t>(n);
    }
    return true;
  }

  bool receive_line(std::string& line, Clock::time_point deadline) {
    size_t searched = 0;
    for (;;) {
      const size_t end = buffer_.find('\n', searched);
      if (end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return true;
      }
      searched = buffer_.size();
      if (!wait_for(POLLIN, deadline)) return false;
      char chunk[65536];
      const ssize_t n = recv(socket_, chunk, sizeof chunk, MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (n <= 0) return ended();
      buffer_.append(chunk, static_cast<size_t>(n));
    }
  }

  // The other end is gone: say how.
  bool ended() {
    int status = 0;
    std::string how = "peer_" + name_ + " ended";
    if (process_ > 0 && waitpid(process_, &status, 0) == process_) {
      process_ = -1;
      if (WIFSIGNALED(status)) how += std::string(" by signal ") + strsignal(WTERMSIG(status));
      if (WIFEXITED(status)) how += " with status " + std::to_string(WEXITSTATUS(status));
    }
    return give_up(how);
  }

  std::string name_, path_, version_, why_, buffer_;
  bool refused_ = false;
  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace marey::peers

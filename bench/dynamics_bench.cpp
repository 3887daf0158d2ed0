// marey bench dynamics: every solver of Marey and every available rival on the same figures.
//
//   bench_dynamics [--json] [--quick] [--only human|chain|tree]
//
// Figures: the human of 39 degrees of freedom; chains and trees of 4 … 4,096 ball-jointed rods, attached to the world.
// One thread, double precision, no contact, no limits. A call computes one answer from one state; calls take the states
// of a small ring in turn. Subjects are timed in rounds, one batch each per round, in thread CPU time; what is printed
// is the mean of the fastest tenth of the rounds. Before that every subject must give the right answers: accelerations
// are put into inverse dynamics, and the result must be the forces that caused them.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dynamics_subjects.h"

namespace marey::bench {
namespace {

// ---- settings ---------------------------------------------------------------------------------------------------------

struct Settings {
  bool json = false, quick = false;
  std::string only;
  int rounds() const { return quick ? 20 : 100; }
  double batch_ns() const { return quick ? 0.5e6 : 2e6; }
  double subject_ns() const { return quick ? 0.2e9 : 1e9; }  // beyond this, a slow subject sits out rounds
  std::vector<int> sizes() const {
    return quick ? std::vector<int>{4, 16, 64, 256} : std::vector<int>{4, 16, 64, 256, 1024, 4096};
  }
};
constexpr double too_slow_ns = 1e9;    // a call this long is the subject's last
constexpr double right_enough = 1e-9;  // largest relative error of a subject that is timed

// ---- what is found ----------------------------------------------------------------------------------------------------

struct Row {
  std::string where, subject, metric;
  std::optional<double> value;  // none: left out
  std::string unit, why;
};

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

void print_json(const std::vector<Row>& rows) {
  std::printf("[");
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    std::printf("%s\n  {\"case\": %s, \"subject\": %s, \"metric\": %s, \"value\": ", i ? "," : "",
                json_text(row.where).c_str(), json_text(row.subject).c_str(), json_text(row.metric).c_str());
    if (row.value && std::isfinite(*row.value))
      std::printf("%.10g", *row.value);
    else
      std::printf("null");
    std::printf(", \"unit\": %s", json_text(row.unit).c_str());
    if (!row.why.empty()) std::printf(", \"why\": %s", json_text(row.why).c_str());
    std::printf("}");
  }
  std::printf("\n]\n");
}

std::string words(const char* format, double value) {
  char text[100];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

bool slow(const Subject& subject) { return subject.ns.size() == 1 && subject.ns[0] > too_slow_ns; }

// Checks the subject on every state of the ring; fills in why if it is not to be timed. For a slow one, one call is
// enough.
void check(Subject& subject, Judge& judge, const std::function<std::string()>& trouble) {
  for (int i = 0; i < ring_size && !slow(subject); ++i) {
    const std::optional<Numbers> answer = subject.answer(i);
    if (!answer) return void(subject.why = trouble());
    subject.error = std::max(subject.error, judge.error(subject.task, i, *answer));
    if (!(subject.error <= right_enough)) return void(subject.why = words("wrong: relative error %.1e", subject.error));
    subject.answers.push_back(*answer);
    if (i > 0) continue;
    const auto one = subject.time(1, 1);
    if (!one) return void(subject.why = trouble());
    if (one->ns > too_slow_ns) subject.ns = {one->ns};
  }
}

// ---- timing -----------------------------------------------------------------------------------------------------------

void calibrate(Subject& subject, const Settings& settings) {
  auto some = subject.time(1, 3);
  if (some && some->ns < 1e5) some = subject.time(50, 3);
  if (!some) return void(subject.why = "it stopped answering");
  subject.reps = static_cast<int>(std::clamp(settings.batch_ns() / some->ns, 1.0, 1e6));
  const double round_ns = 2 * some->ns * subject.reps;
  const double affordable = std::max(3.0, settings.subject_ns() / round_ns);
  subject.stride = std::max(1, static_cast<int>(settings.rounds() / affordable));
}

// The timed calls must have computed what the checked ones did.
bool same_work(const Subject& subject, const Batch& batch) {
  const Numbers& answer = subject.answers[static_cast<size_t>(batch.state)];
  double size = 0;
  for (double x : answer) size += std::abs(x);
  return std::abs(batch.checksum - sum_of(answer)) <= 1e-12 * size;
}

double best_tenth(Numbers ns) {
  std::sort(ns.begin(), ns.end());
  const size_t n = std::max<size_t>(1, ns.size() / 10);
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += ns[i];
  return sum / static_cast<double>(n);
}

void time_all(std::vector<Subject>& subjects, const Settings& settings) {
  for (Subject& subject : subjects)
    if (subject.why.empty() && !slow(subject)) calibrate(subject, settings);
  for (int round = 0; round < settings.rounds(); ++round)
    for (Subject& subject : subjects) {
      if (!subject.why.empty() || slow(subject) || round % subject.stride != 0) continue;
      const auto batch = subject.time(subject.reps, 2);  // the first warms the caches
      if (!batch)
        subject.why = "it stopped answering";
      else if (!same_work(subject, *batch))
        subject.why = "the timed calls computed something else";
      else
        subject.ns.push_back(batch->ns);
    }
  for (Subject& subject : subjects)
    if (subject.why.empty()) subject.best = best_tenth(subject.ns);
}

// ---- one case -----------------------------------------------------------------------------------------------------------

class Bench {
 public:
  explicit Bench(const Settings& settings) : settings_(settings) {
    for (const char* name : {"bullet", "mujoco", "simbody", "dart"}) peers_.push_back(std::make_unique<Peer>(name));
  }

  void run() {
    introduce();
    if (wanted("human")) run_case("human", 12);
    for (const char* family : {"chain", "tree"})
      if (wanted(family))
        for (int n : settings_.sizes()) run_case(family, n);
    print_growth();
    if (wanted("human")) print_goals();
    if (settings_.json) print_json(rows_);
  }

 private:
  bool wanted(const std::string& family) const { return settings_.only.empty() || settings_.only == family; }

  [[gnu::format(printf, 2, 3)]] void say(const char* format, ...) const {
    if (settings_.json) return;
    va_list arguments;
    va_start(arguments, format);
    std::vprintf(format, arguments);
    va_end(arguments);
    std::fflush(stdout);
  }

  void introduce() {
    say("Forward and inverse dynamics: one thread, double precision, no contact; thread CPU time on CPU %d,\n"
        "mean of the fastest tenth of %d interleaved rounds. Rivals as Debian builds them, Marey for this processor.\n",
        sched_getcpu(), settings_.rounds());
#ifndef NDEBUG
    say("This is not a Release build: Marey's times mean nothing.\n");
#endif
    for (const auto& peer : peers_) {
      if (peer->running()) {
        say("  %-8s %s\n", peer->name().c_str(), peer->version().c_str());
      } else {
        say("  %-8s left out: %s\n", peer->name().c_str(), peer->why().c_str());
        rows_.push_back({"all", peer->name(), "left_out", std::nullopt, "", peer->why()});
      }
    }
  }

  void run_case(const std::string& family, int links) {
    const Case c = make_case(family, links);
    std::vector<Subject> subjects;
    add_solvers(c, subjects);
    for (const auto& peer : peers_) add_peer(c, *peer, subjects);
    time_all(subjects, settings_);
    for (Subject& subject : subjects) drop_if_slow(c, subject);
    report(c, subjects);
  }

  void add_solvers(const Case& c, std::vector<Subject>& subjects) {
    std::vector<Subject> ours;
    add_forward_solvers(c, ours);
    add_inverse_solver(c, ours);
    if (c.family == "human") add_mass_matrix_solver(c, ours);
    Judge judge(c);
    for (Subject& subject : ours) {
      if (dropped(c, subject.name, subject.task)) continue;
      if (subject.why.empty()) check(subject, judge, [] { return std::string("no answer"); });
      subjects.push_back(std::move(subject));
    }
    if (c.family == "human") subjects.push_back(general_path());
  }

  void add_peer(const Case& c, Peer& peer, std::vector<Subject>& subjects) {
    if (std::string why; !ready(c, peer, why)) {
      if (why.empty()) return;
      subjects.push_back(absent_subject(peer.name(), why));
      drop(c, peer.name(), "");
      return;
    }
    std::vector<PeerTask> tasks = {PeerTask::forward, PeerTask::inverse};
    if (c.family == "human") tasks.push_back(PeerTask::massmatrix);
    if (c.family == "human" && peer.name() == "mujoco") tasks.push_back(PeerTask::forward_whole);
    Judge judge(c);
    for (PeerTask task : tasks) {
      if (dropped(c, peer.name(), task)) continue;
      Subject subject = peer_subject(peer, task);
      check(subject, judge, [&peer] { return peer.why(); });
      subjects.push_back(std::move(subject));
    }
  }

  // Whether the peer has loaded the figure. A silent no if it was dropped before.
  bool ready(const Case& c, Peer& peer, std::string& why) {
    if (peer.version().empty() || dropped(c, peer.name(), "")) return false;
    if (!peer.running() && !peer.start()) return why = peer.why(), false;
    if (!peer.load(peers::peer_figure(c.model), load_limit_s) || !peer.set_states(c.ring))
      return why = peer.why(), false;
    return true;
  }

  // A subject that took too long, or failed, is not tried on larger figures of the same family.
  void drop(const Case& c, const std::string& name, const std::string& task) {
    dropped_[c.family + "/" + name + "/" + task] = true;
  }
  bool dropped(const Case& c, const std::string& name, const std::string& task) const {
    return dropped_.count(c.family + "/" + name + "/" + task) > 0;
  }
  bool dropped(const Case& c, const std::string& name, PeerTask task) const { return dropped(c, name, word(task)); }
  void drop_if_slow(const Case& c, const Subject& subject) {
    if (!subject.why.empty() || subject.best > too_slow_ns) drop(c, subject.name, word(subject.task));
  }

  static std::string word(PeerTask task) { return peers::peer_task_names[static_cast<size_t>(task)]; }

  // The reference for ratios: Bullet for forward dynamics, else MuJoCo, or Marey's own where they are not available.
  static const Subject* reference(const std::vector<Subject>& subjects, PeerTask task) {
    const bool forward = task == PeerTask::forward || task == PeerTask::forward_whole;
    const PeerTask like = forward ? PeerTask::forward : task;
    for (const char* name : {forward ? "bullet" : "mujoco", "aba", "rnea", "crba"})
      for (const Subject& subject : subjects)
        if (subject.name == name && subject.task == like && subject.best > 0) return &subject;
    return nullptr;
  }

  void report(const Case& c, const std::vector<Subject>& subjects) {
    say("\n%s: %d links, %d freedoms\n", c.name().c_str(), c.links, c.model.nv);
    say("  %-14s %-10s %14s  %-16s %9s  %s\n", "task", "subject", "ns per call", "ratio", "error", "checksum");
    for (PeerTask task : {PeerTask::forward, PeerTask::forward_whole, PeerTask::inverse, PeerTask::massmatrix})
      for (const Subject& subject : subjects)
        if (subject.task == task) report(c, subject, reference(subjects, task));
  }

  // Equal for all subjects of a task, to the digits their errors leave: it shows that they computed the same.
  static double checksum_of(const Subject& subject) {
    double checksum = 0;
    for (const Numbers& answer : subject.answers) checksum += sum_of(answer);
    return checksum;
  }

  void report(const Case& c, const Subject& subject, const Subject* reference) {
    const std::string task = word(subject.task);
    if (!subject.why.empty()) {
      say("  %-14s %-10s left out: %s\n", task.c_str(), subject.name.c_str(), subject.why.c_str());
      rows_.push_back({c.name(), subject.name, task + "_left_out", std::nullopt, "", subject.why});
      return;
    }
    std::string ratio = "-";
    rows_.push_back({c.name(), subject.name, task, subject.best, "ns", ""});
    if (reference) {
      ratio = words("%.3f", subject.best / reference->best) + " × " + reference->name;
      rows_.push_back(
          {c.name(), subject.name, task + "_ratio_to_" + reference->name, subject.best / reference->best, "1", ""});
    }
    rows_.push_back({c.name(), subject.name, task + "_error", subject.error, "1", ""});
    const std::string checksum = slow(subject) ? "over 1 s: dropped" : words("%.10g", checksum_of(subject));
    if (!slow(subject)) rows_.push_back({c.name(), subject.name, task + "_checksum", checksum_of(subject), "1", ""});
    say("  %-14s %-10s %14.0f  %-17s %9.1e  %s\n", task.c_str(), subject.name.c_str(), subject.best, ratio.c_str(),
        subject.error, checksum.c_str());
    growth_[{c.family, task, subject.name}].push_back({c.links, subject.best});
    if (c.family == "human") rounds_[{task, subject.name}] = subject.ns;
  }

  // ---- summaries

  // Exponent p of time ~ nᵖ by least squares on logarithms, from 16 links on, where the fixed cost of a call no longer
  // shows.
  void print_growth() {
    bool first = true;
    for (const auto& [key, points] : growth_) {
      const auto& [family, task, subject] = key;
      double n = 0, x = 0, y = 0, xx = 0, xy = 0;
      for (const auto& [links, ns] : points) {
        if (links < 16 || family == "human") continue;
        const double a = std::log(links), b = std::log(ns);
        n += 1, x += a, y += b, xx += a * a, xy += a * b;
      }
      if (n < 3) continue;
      const double exponent = (n * xy - x * y) / (n * xx - x * x);
      if (first) say("\nGrowth with the number of links n: time ~ n^p, n from 16 to the largest timed\n");
      first = false;
      say("  %-6s %-10s %-10s p = %.2f  (to n = %d)\n", family.c_str(), task.c_str(), subject.c_str(), exponent,
          points.back().first);
      rows_.push_back({family, subject, task + "_growth_exponent", exponent, "1", ""});
    }
  }

  void print_goals() {
    say("\nGoals, on the human\n");
    goal("armstrong", "bullet", "forward", 0.25);
    goal("aba", "bullet", "forward", 0.7);
    goal("aba, general", "bullet", "forward", 1);
    goal("rnea", "mujoco", "inverse", 0.29);
  }

  void goal(const std::string& ours, const std::string& theirs, const std::string& task, double most) {
    const std::string subject = ours + " / " + theirs;
    const auto a = rounds_.find({task, ours}), b = rounds_.find({task, theirs});
    if (a == rounds_.end() || b == rounds_.end()) {
      say("  %-20s %-8s goal ≤ %.2f: not measured\n", subject.c_str(), task.c_str(), most);
      rows_.push_back({"human", subject, task + "_goal", std::nullopt, "1", "not measured"});
      return;
    }
    const double ratio = best_tenth(a->second) / best_tenth(b->second);
    const double middle = median_ratio(a->second, b->second);
    const bool met = ratio <= most;
    say("  %-20s %-8s %.3f (median of rounds %.3f), goal ≤ %.2f: %s\n", subject.c_str(), task.c_str(), ratio, middle,
        most, met ? "met" : "not met");
    rows_.push_back({"human", subject, task + "_ratio", ratio, "1", ""});
    rows_.push_back({"human", subject, task + "_ratio_median", middle, "1", ""});
    rows_.push_back({"human", subject, task + "_goal", most, "1", ""});
    rows_.push_back({"human", subject, task + "_goal_met", met ? 1.0 : 0.0, "1", ""});
  }

  // Round by round, so that it does not matter if the machine changes its speed in between.
  static double median_ratio(const Numbers& a, const Numbers& b) {
    Numbers ratios;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(a[i] / b[i]);
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<long>(ratios.size() / 2), ratios.end());
    return ratios[ratios.size() / 2];
  }

  Settings settings_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::map<std::string, bool> dropped_;  // family/subject/task; an empty task: the whole subject
  std::vector<Row> rows_;
  std::map<std::array<std::string, 3>, std::vector<std::pair<int, double>>>
      growth_;                                            // family, task, subject: links, ns
  std::map<std::array<std::string, 2>, Numbers> rounds_;  // task, subject: ns of every round, on the human
};

// Marey and the peers it starts share one CPU, and hence its caches and its speed.
void stay_on_this_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &set);
  sched_setaffinity(0, sizeof set, &set);
}

std::nullopt_t refused(const char* word) {
  std::fprintf(stderr, "marey bench dynamics: found '%s'\n", word);
  return std::nullopt;
}

std::optional<Settings> parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      settings.json = true;
    } else if (word == "--quick") {
      settings.quick = true;
    } else if (word == "--only" && i + 1 < argc) {
      settings.only = argv[++i];
      if (settings.only != "human" && settings.only != "chain" && settings.only != "tree") return refused(argv[i]);
    } else {
      return refused(argv[i]);
    }
  }
  return settings;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) {
  const auto settings = marey::bench::parse(argc, argv);
  if (!settings) {
    std::fprintf(stderr, "usage: marey bench dynamics [--json] [--quick] [--only human|chain|tree]\n");
    return 2;
  }
  marey::bench::stay_on_this_cpu();
  marey::bench::Bench(*settings).run();
  return 0;
}

#include "sim/stepping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "marey/core.h"
#include "sim/foresight.h"
#include "sim/kept_matrices.h"

namespace marey {

namespace {

constexpr std::size_t links_at_once = 256;  // that a thread takes
constexpr int most_attempts = 32;           // at ending a step where nothing has leapt
constexpr int most_rounds_apart = 8;        // of putting positions apart, in one step
constexpr int most_kept_rounds = 4;         // with matrices of an earlier step
constexpr int most_rounds = 6;              // of Newton's method where joints are implicit
constexpr double same_velocity = 1e-9;      // m/s, rad/s: a change that no force of the step feels
constexpr double same_force_of_middle =
    0.3;  // of that: what velocities may feel of gravity and inertia in q instead of q̄
// m/s, rad/s: where a third round of (2) would change velocities by more, two are not enough.
constexpr double felt = 1e-3;
constexpr double most_gain = 0.01;  // of the kinetic energy, by a stiff spring in one step
constexpr double no_gain = 1e-9;    // of the largest energy there has been: what rounding and rounds may leave
constexpr double most_turn = 2;     // rad within a step: what turns more meets others by chance
constexpr double fast_turn = 0.1, advised_turn = 0.05;  // rad within a step: where links have to do with that

class Stepping final : public Method {
 public:
  Stepping(Flow& flow, Surroundings& around, TorquesInJoints& in_joints, SteppedContacts& contacts,
           const RateLayout& layout, ImplicitForces* stiff, Tumbling tumbling)
      : Method(flow),
        stiff_(stiff),
        tumbling_(std::move(tumbling)),
        around_(around),
        in_joints_(in_joints),
        contacts_(contacts),
        sleeping_(contacts.sleeping()),
        layout_(layout),
        nv_(static_cast<std::size_t>(flow.model().nv)),
        q_0_(q_),
        q_m_(q_),
        q_bar_(q_),
        v_start_(v_),
        v_0_(v_),
        v_m_(v_),
        vdot_(v_.size()),
        v_free_(nv_),
        v_plus_(nv_),
        p_(nv_),
        force_(nv_),
        force_change_(nv_),
        xi_(nv_),
        rates_(flow.rate_count()),
        integrals_(flow.rate_count()),
        foresight_(stiff != nullptr ? nv_ : 0, same_velocity) {
    if (stiff != nullptr) kept_.emplace(flow.model(), stiff->joints());
    tumbling_.share_with(contacts.threads());
    only_gravity_ = contacts.prefers_sweeps() && stiff_ == nullptr && layout.elements == 0 && layout.constraints == 0 &&
                    v_.size() == nv_ && tumbling_.choose_always();
    segment_.degree = 2;
    segment_.coordinates = Segment::Coordinates::local;
    segment_.q_0.resize(q_.size());
    segment_.x.resize(3 * nv_), segment_.v.resize(3 * v_.size());
    segment_.integrals.resize(3 * flow.rate_count()), segment_.scratch.resize(2 * nv_);
  }

  void restart(double t, std::span<const double> q, std::span<const double> v) override {
    t_ = t;
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    curve_due_ = false;
    forget();
  }
  void step(double limit) override {
    segment_.t_0 = t_;
    foresight_.begin_step();
    if (kept_) kept_->begin_step();
    q_0_ = q_, v_start_ = v_;
    go_without_leaps(limit);
  }
  bool retake(double s) override {
    go_without_leaps(segment_.t_0 + s);
    return true;
  }
  void step_integrals(std::span<double> out) override { std::ranges::copy(integrals_, out.begin()); }
  std::vector<double> memory() const override {
    if (stiff_ == nullptr) return {};
    std::vector<double> all = foresight_.memory();
    kept_->save(all);
    return all;
  }
  void recall(std::span<const double> memory) override {
    if (stiff_ == nullptr) return;
    const std::size_t first = foresight_.memory().size();
    if (memory.size() < first) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
    foresight_.recall(memory.first(first));
    kept_->recall(memory.subspan(first));
  }

 private:
  void forget() {
    foresight_.forget();
    if (kept_) kept_->forget();
  }
  std::span<const double> velocities(const std::vector<double>& v_z) const { return std::span(v_z).first(nv_); }

  // To t, or less far, where fast bodies meet (6).
  void go_without_leaps(double t) {
    double end = t;
    bool guarded = contacts_.may_end_early();
    for (int k = 0; const std::optional<double> h = go(end, guarded); ++k) {
      guarded = k < most_attempts && segment_.t_0 + *h > segment_.t_0;
      if (guarded) end = segment_.t_0 + *h;
    }
    contacts_.end_early(end < t);
  }
  // (6): of a step in which bodies meet at s.
  double length_before(const SteppedContacts::Meeting& meeting, double s) const {
    if (s > 1.5 * meeting.half) return s - meeting.half;
    return s < 0.5 * h_ ? 2 * s : 2 * s - h_;
  }
  // A length: the step is not taken, and is to be that long instead.
  std::optional<double> go(double t, bool guarded) {
    h_ = t - segment_.t_0, t_ = t;
    t_m_ = segment_.t_0 + 0.5 * h_;
    tumbles_ = tumbling_.choose(q_0_, v_start_, h_);
    std::optional<double> shorter = go_first_round(guarded);
    if (!shorter && contacts_.struck() && tumbling_.choose_more(q_m_, v_plus_, h_)) {  // what is struck turns fast
      tumbles_ = true;
      shorter = go_first_round(guarded);
    }
    return shorter ? shorter : go_on_from_there(guarded);
  }
  std::optional<double> go_first_round(bool guarded) {
    std::ranges::fill(integrals_, 0.0);
    contacts_.begin_attempt(t_, h_, guarded);
    v_0_ = v_start_;
    if (sleeping_ != nullptr) let_fall_asleep();
    drift(q_0_, velocities(v_0_), q_m_);  // (1)
    if (tumbles_) tumbling_.drift(0.5 * h_, q_0_, v_0_, q_m_, v_0_);
    if (sleeping_ != nullptr) sleeping_->keep(q_0_, q_m_);
    implicit_ = foreseen_ = by_kept_ = false, v_last_.clear();
    std::ranges::fill(force_change_, 0.0);  // where it is struck only in the last round, nothing is known of it
    const bool foresees = may_foresee();
    if (foresees)
      around_.place(middle());
    else
      evaluate_at_first();
    find_contacts();
    if (contacts_.may_meet_before())
      if (const auto found = contacts_.meeting_before(q_0_, way(q_0_, v_start_)))
        return length_before(*found, found->s);
    if (foresees && go_as_foreseen()) return {};
    if (foresees) evaluate(q_m_, v_0_);
    put_apart();
    soften();
    v_plus_.assign(v_0_.begin(), v_0_.begin() + static_cast<std::ptrdiff_t>(nv_));
    kick();
    return {};
  }
  // Where nothing but joints and contacts is taken implicitly, by one M̂.
  bool may_foresee() const {
    if (sleeping_ != nullptr && sleeping_->count() > 0) return false;  // forces come first: they may wake
    return stiff_ != nullptr && !tumbles_ && v_.size() == nv_ && !around_.holds_constraints() &&
           (foresight_.helps(h_) || (kept_->any() && foresight_.knows(h_)));
  }
  // The first round, from the v⁺ that the steps before lead to. False: something overlaps or is struck, or nothing is stiff any more; all is
  // then as if it had not been tried.
  bool go_as_foreseen() {
    if (contacts_.any_overlaps()) return false;
    if (go_with_kept_matrices()) return true;
    if (!foresight_.helps(h_)) return false;
    implicit_ = stiff_->prepare(around_.place(middle()), around_.plant(), h_);
    implicit_ = implicit_ && !stiff_->answers_by_plant() && stiff_->rows().empty();
    if (!implicit_) return false;
    contacts_.use(around_.plant(), stiff_, stiff_->rows());
    v_plus_.resize(nv_);
    foresight_.guess(velocities(v_0_), v_plus_);
    v_last_ = v_plus_;
    evaluate_between();
    find_force(q_bar_, vdot_, force_);
    find_free_velocities();
    contacts_.solve(around_.plant(), v_free_, v_plus_);
    free_change_ = 0;
    foreseen_ = !contacts_.struck();
    if (!foreseen_) implicit_ = false, v_last_.clear();
    return foreseen_;
  }
  // All rounds, with matrices of an earlier step. False: these do not serve; impulses of what was tried are a guess for what follows.
  bool go_with_kept_matrices() {
    if (!kept_->serve(contacts_)) return false;
    kept_->place(around_.plant(), contacts_);
    v_plus_.resize(nv_);
    foresight_.guess(velocities(v_0_), v_plus_);
    kept_->guess(foresight_.way(), v_plus_);
    implicit_ = true;  // Q and M v̇ are looked at in q̄
    by_kept_ = take_kept_rounds();
    free_change_ = 0;
    if (!by_kept_) implicit_ = false, v_last_.clear(), around_.place(middle());
    return by_kept_;
  }
  bool take_kept_rounds() {
    double before = 0;
    for (int round = 0; round < most_kept_rounds; ++round) {
      v_last_ = v_plus_;
      find_force_for_kept();
      for (std::size_t k = 0; k < nv_; ++k) p_[k] = h_ * force_[k];
      if (!kept_->solve(velocities(v_0_), p_, contacts_, v_plus_)) return false;
      const double change = largest_change(v_plus_, v_last_);
      if (round == 0 && foresight_.will_be_enough(change)) return foresight_.is_enough(change);
      if (round > 0) foresight_.learn(before, change);
      if (round > 0 && is_last(before, change)) return true;
      before = change;
    }
    return false;
  }
  // Newton's method makes changes smaller at least by as much as it did last.
  static bool is_last(double before, double change, double unseen = same_velocity) {
    return change <= unseen || (change < 0.1 * before && change * (change / before) <= unseen);
  }
  std::optional<double> go_on_from_there(bool guarded) {
    const bool foreseen = foreseen_;
    if (!by_kept_) vdot_before_ = vdot_, rates_before_ = rates_, force_before_ = force_;
    const int rounds = implicit_ ? most_rounds : only_gravity_ ? 1 : 2;
    for (int round = 1; round < rounds && changes(); ++round) {
      next_round();
      if (foreseen && contacts_.struck()) {  // for (4) forces are wanted before it
        forget();
        return go(t_, guarded);
      }
    }
    if (implicit_ && guarded && !settles()) return 0.5 * h_;
    if (const auto found = meeting_after())
      return contacts_.struck() ? 0.5 * (h_ - found->s) : length_before(*found, 0.5 * h_ + found->s);
    certify_momentum();
    if (third_round_is_felt()) note_haste();
    if (tumbles_)
      if (const auto [link, turning] = tumbling_.fastest(v_plus_); h_ * turning > most_turn)
        contacts_.note_haste(link, h_ * turning, 1 / turning);
    finish();
    if (implicit_ && guarded && !by_kept_ && stiff_->has_stiff_elements() && gains()) return 0.5 * h_;
    return {};
  }

  std::optional<SteppedContacts::Meeting> meeting_after() {
    if (!contacts_.may_meet_after()) return {};
    return contacts_.meeting_after(q_m_, way(q_m_, v_plus_));
  }
  // Whether anything may feel what the last round has found, or what the next one would. States go by the rates in their middle, after the first.
  bool changes() {
    if (by_kept_) return false;
    if (std::exchange(foreseen_, false)) {
      change_ = largest_change(v_plus_, v_last_);
      return !foresight_.is_enough(change_);
    }
    const bool first = v_last_.empty();
    if (first && v_.size() > nv_) return true;
    const double before = std::exchange(change_, largest_change(v_plus_, first ? velocities(v_0_) : v_last_));
    if (!first && implicit_) foresight_.learn(before, change_);
    if (is_swept() && !first && free_change_ <= contacts_.not_felt()) return false;
    const double unseen = is_swept() ? contacts_.not_felt() : same_velocity;
    return first ? !(change_ <= unseen) : !is_last(before, change_, unseen);
  }
  // Whether sweeps solve all contacts: what they leave of v⁺ changes from round to round, and is no reason for another one.
  bool is_swept() const { return contacts_.any() && contacts_.not_felt() > same_velocity; }
  // Newton's method gets no hold of springs that are tense, and turn with what they are fastened to, in steps that are long beside both.
  bool settles() const {
    return v_last_.empty() || (is_swept() ? free_change_ : largest_change(v_plus_, v_last_)) <= felt;
  }
  // By how much the second round has changed forces, for what the first had changed, and what that has done to v⁺.
  bool third_round_is_felt() const {
    return !v_last_.empty() && free_change_ > felt * felt &&
           free_change_ * largest_change(v_plus_, v_last_) > felt * largest_change(v_last_, velocities(v_0_));
  }
  // Of the link that turns fastest among those that do not go their own way.
  void note_haste() {
    const std::span<const Twist<double>> V_WB = around_.plant().kinematics().V_WB;
    std::size_t fastest = 0;
    double most = 0;
    for (std::size_t i = 1; i < V_WB.size(); ++i)
      if (const double w = norm_squared(V_WB[i].w); w > most && !tumbling_.goes_alone(i)) most = w, fastest = i;
    most = std::sqrt(most);
    if (h_ * most > fast_turn) contacts_.note_haste(static_cast<int>(fastest), h_ * most, advised_turn / most);
  }
  // In as many lanes as a register has; not a number where one of them is none.
  static double largest_change(std::span<const double> a, std::span<const double> b) {
    std::array<double, 8> most{}, sums{};
    const auto look = [&](std::size_t k, std::size_t l) {
      const double change = std::abs(a[k] - b[k]);
      most[l] = change > most[l] ? change : most[l];
      sums[l] += change;
    };
    std::size_t k = 0;
    for (; k + 8 <= a.size(); k += 8)
      for (std::size_t l = 0; l < 8; ++l) look(k + l, l);
    for (; k < a.size(); ++k) look(k, 0);
    double sum = 0;
    for (const double part : sums) sum += part;
    return std::isnan(sum) ? sum : *std::ranges::max_element(most);
  }
  // (2) with ½(v⁻ + v⁺); where something was struck with the mean of both sides, (4).
  void next_round() {
    v_last_ = v_plus_;
    const double part = contacts_.struck() ? 1 : 0.5;
    evaluate_between(part);
    if (implicit_) {
      find_force(q_bar_, vdot_, p_);
      for (std::size_t k = 0; k < nv_; ++k) force_[k] = part == 1 ? 0.5 * (force_before_[k] + p_[k]) : p_[k];
      if (stiff_->answers_by_plant()) around_.place(middle());  // which is to answer where the rows are of
    }
    if (part == 1) {
      for (std::size_t k = 0; k < nv_; ++k) xi_[k] = vdot_before_[k] - vdot_[k];
      if (implicit_)
        for (std::size_t k = 0; k < nv_; ++k) force_change_[k] = force_before_[k] - p_[k];
      else
        around_.plant().momentum(q_m_, xi_, force_change_);
      for (std::size_t k = 0; k < vdot_.size(); ++k) vdot_[k] = 0.5 * (vdot_before_[k] + vdot_[k]);
      for (std::size_t k = 0; k < rates_.size(); ++k) rates_[k] = 0.5 * (rates_before_[k] + rates_[k]);
    }
    kick_again();
  }

  // At q̄ and v̄, or at their likes after all of the step.
  void evaluate_between(double part = 0.5) {
    go_between(part);
    evaluate(implicit_ ? q_bar_ : q_m_, v_m_);
  }
  // Q there, without v̇ where that is not needed for it.
  void find_force_between() {
    go_between(0.5);
    ++tally_.evaluations;
    // Who may sleep is judged by v̇.
    if (sleeping_ == nullptr && around_.force_alone(t_m_, q_bar_, v_m_, force_, rates_)) return;
    flow_.evaluate(t_m_, q_bar_, v_m_, vdot_, rates_);
    find_force(q_bar_, vdot_, force_);
  }
  // Where gravity and inertia may be those of the middle only torques in joints are.
  void find_force_for_kept() {
    if (sleeping_ == nullptr && in_joints_.act_in_joints_alone() &&
        kept_->felt_of_middle(velocities(v_0_), v_plus_, h_) <= same_force_of_middle * same_velocity) {
      go_between(0.5);
      const std::span<const Twist<double>> V_WB = kept_->weigh(velocities(v_0_), v_plus_, h_);
      ++tally_.evaluations;
      if (in_joints_.torques_alone(t_m_, q_bar_, v_m_, V_WB, force_, rates_)) return;
    }
    kept_->weigh_elsewhere();
    find_force_between();
  }
  void go_between(double part) {
    for (std::size_t k = 0; k < nv_; ++k) v_m_[k] = (1 - part) * v_0_[k] + part * v_plus_[k];
    for (std::size_t k = nv_; k < v_.size(); ++k) v_m_[k] = v_0_[k] + part * h_ * vdot_before_[k];
    if (implicit_) {
      for (std::size_t k = 0; k < nv_; ++k) xi_[k] = 0.5 * part * h_ * (v_plus_[k] - v_0_[k]);
      advance<double>(flow_.model(), q_m_, xi_, Turn::exponential, q_bar_);
    }
  }

  // q_out = q ⊕ ½h v
  void drift(std::span<const double> q, std::span<const double> v, std::span<double> q_out) {
    for (std::size_t k = 0; k < nv_; ++k) xi_[k] = 0.5 * h_ * v[k];
    std::ranges::copy(q, q_out.begin());
    const std::span<const LinkTopology> links = flow_.moving_links();
    contacts_.threads()->in_pieces(
        links.size(), links_at_once, [&](std::size_t, std::size_t from, std::size_t to, std::size_t) {
          advance<double>(flow_.model(), links.subspan(from, to - from), q, xi_, Turn::exponential, q_out);
        });
  }
  // Velocities that lead to the end of half a step from q, as if they were constant.
  std::span<const double> way(const std::vector<double>& q, const std::vector<double>& v) {
    if (!tumbles_) return velocities(v);
    way_.assign(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(nv_));
    tumbling_.drift(0.5 * h_, q, v, q_bar_, way_);
    tumbling_.mean_velocities(0.5 * h_, q, q_bar_, way_);
    return way_;
  }
  // In the middle of the step, which the plant is at from then on.
  void evaluate(const std::vector<double>& q, const std::vector<double>& v_z) {
    flow_.evaluate(t_m_, q, v_z, vdot_, rates_);
    if (tumbles_) tumbling_.take_own(q, v_z, vdot_);
    if (sleeping_ != nullptr) sleeping_->hold(vdot_);
    ++tally_.evaluations;
  }
  // For the first time in a step, so that what acts may wake.
  void evaluate_at_first() {
    flow_.evaluate(t_m_, q_m_, v_0_, vdot_, rates_);
    if (tumbles_) tumbling_.take_own(q_m_, v_0_, vdot_);
    if (sleeping_ != nullptr) sleeping_->notice_forces(q_m_, vdot_), sleeping_->hold(vdot_);
    ++tally_.evaluations;
  }
  void let_fall_asleep() {
    const Sleeping::Taken taken = sleeping_->begin_attempt(q_0_, v_0_);
    integrals_[layout_.power(layout_.sleep())] -= taken.energy;
    book_wrench(integrals_, layout_.outside(layout_.sleep()), taken.momentum, -1);
  }
  // (2)
  void kick() {
    find_free_velocities();
    contacts_.solve(around_.plant(), v_free_, v_plus_);
  }
  // Contacts stay solved as they are where they would not feel the difference.
  void kick_again() {
    v_free_last_ = v_free_;
    find_free_velocities();
    free_change_ = largest_change(v_free_, v_free_last_);
    if (contacts_.any() && free_change_ <= contacts_.not_felt())
      v_free_.swap(v_free_last_);
    else
      contacts_.solve(around_.plant(), v_free_, v_plus_);
  }
  void find_free_velocities() {
    if (implicit_)
      kick_implicitly();
    else
      for (std::size_t k = 0; k < nv_; ++k) v_free_[k] = v_0_[k] + h_ * vdot_[k];
  }
  // (4) of sim/implicit_forces.h, with Q of force_ and M of the middle.
  void kick_implicitly() {
    if (v_last_.empty())  // the first round, with Q = M v̇
      std::ranges::fill(p_, 0.0);
    else
      momentum_in_middle(velocities(vdot_), p_);
    for (std::size_t k = 0; k < nv_; ++k) {
      if (!v_last_.empty()) p_[k] = h_ * (force_[k] - p_[k]);
      xi_[k] = v_plus_[k] - v_0_[k] - h_ * vdot_[k];
    }
    stiff_->add_slopes(xi_, p_);
    stiff_->respond(p_, v_free_);
    for (std::size_t k = 0; k < nv_; ++k) v_free_[k] += v_0_[k] + h_ * vdot_[k];
  }
  // M x in the middle of the step.
  void momentum_in_middle(std::span<const double> x, std::vector<double>& out) {
    if (!implicit_ || !stiff_->momentum(x, out)) around_.plant().momentum(q_m_, x, out);
  }
  // Q = M v̇ there.
  void find_force(const std::vector<double>& q, const std::vector<double>& vdot, std::vector<double>& out) {
    around_.plant().momentum(q, velocities(vdot), out);
  }
  // From explicit to implicit, where anything asks for it.
  void soften() {
    if (stiff_ == nullptr) return;
    implicit_ = stiff_->prepare(around_.place(middle()), around_.plant(), h_);
    if (!implicit_) return;
    contacts_.use(around_.plant(), stiff_, stiff_->rows());
    momentum_in_middle(velocities(vdot_), force_);
  }
  // Of M̂ (v⁺ − v_free) = Jᵀ P + Gᵀ Λ; of constraints that M̂ knows nothing of, Λ is not known.
  void certify_momentum() {
    if (by_kept_) return contacts_.certify_momentum(kept_->momentum_error());
    if (!contacts_.any() || (around_.holds_constraints() && !implicit_)) return;
    for (std::size_t k = 0; k < nv_; ++k) xi_[k] = v_plus_[k] - v_free_[k];
    momentum_in_middle(xi_, p_);
    if (implicit_) stiff_->add_slopes(xi_, p_);
    given_.assign(contacts_.momentum().begin(), contacts_.momentum().end());
    const std::span<double> given = given_;
    if (implicit_ && around_.holds_constraints()) {
      stiff_->respond(given, std::span(v_m_).first(nv_));  // v_m_: scratch
      stiff_->add_held_momentum(given);
    }
    if (around_.plant().has_joint_drift()) {  // bodies, whose joints have a part in it: what they leave of it
      (implicit_ ? static_cast<Response&>(*stiff_) : around_.plant())
          .respond(contacts_.momentum(), std::span(v_m_).first(nv_));
      around_.plant().momentum(q_m_, velocities(v_m_), given);
      if (implicit_) stiff_->add_slopes(velocities(v_m_), given);
    }
    double error = 0, most = 0;
    for (std::size_t k = 0; k < nv_; ++k)
      error = std::max(error, std::abs(p_[k] - given[k])), most = std::max(most, std::abs(given[k]));
    momentum_in_middle(v_plus_, p_);  // which rounding is a part of, however small the impulses
    for (std::size_t k = 0; k < nv_; ++k) most = std::max(most, std::abs(p_[k]));
    contacts_.certify_momentum(most > 0 ? error / most : 0);
  }

  // Energy and momenta that the shift brings are booked apart.
  void put_apart() {
    for (int k = 0; k < most_rounds_apart && contacts_.put_apart(around_.plant(), xi_); ++k) {
      const Balance before = around_.energies(middle());
      if (tumbles_) q_bar_ = q_m_;
      advance<double>(flow_.model(), q_m_, xi_, Turn::exponential, q_m_);
      if (tumbles_) tumbling_.keep_centers(q_bar_, q_m_, v_0_);
      const Balance after = around_.energies(middle());
      integrals_[layout_.power(layout_.correction())] += after.energy - before.energy;
      book_wrench(integrals_, layout_.outside(layout_.correction()),
                  {after.momentum.n - before.momentum.n, after.momentum.f - before.momentum.f});
      evaluate(q_m_, v_0_);
      find_contacts();
    }
  }
  void find_contacts() {
    if (contacts_.has_joint_bounds()) contacts_.find_joint_bounds(around_.place(middle()));
    contacts_.find(around_.plant());
    if (sleeping_ != nullptr) sleeping_->release(vdot_);
  }
  const State& middle() { return state_of(t_m_, q_m_, v_0_); }
  const State& state_of(double t, const std::vector<double>& q, const std::vector<double>& v_z) {
    state_.t = t;
    state_.q = q;
    state_.v.assign(v_z.begin(), v_z.begin() + static_cast<std::ptrdiff_t>(nv_));
    state_.z.assign(v_z.begin() + static_cast<std::ptrdiff_t>(nv_), v_z.end());
    return state_;
  }
  // Whether the finished step has more energy than it was given, by a part that is felt: of a tense spring that turns by much within it.
  bool gains() {
    double given = 0;
    for (std::size_t s = 0; s < layout_.sources; ++s) given += integrals_[layout_.power(s)];
    const double gained = around_.energies(state_of(t_, q_, v_)).energy -
                          around_.energies(state_of(segment_.t_0, q_0_, v_start_)).energy - given;
    double moving = 0;
    for (const std::vector<double>* v : {&v_0_, &v_plus_}) {
      around_.plant().momentum(q_m_, velocities(*v), p_);
      for (std::size_t k = 0; k < nv_; ++k) moving += 0.5 * (*v)[k] * p_[k];
    }
    return gained > most_gain * moving + no_gain * around_.largest_energy();
  }

  void finish() {
    for (std::size_t i = 0; i < integrals_.size(); ++i) integrals_[i] += h_ * rates_[i];
    Plant& plant = around_.plant();
    double between = 0;  // (5)
    if (contacts_.struck())
      for (std::size_t k = 0; k < nv_; ++k) between += 0.25 * h_ * (v_plus_[k] - v_0_[k]) * force_change_[k];
    contacts_.book_step(layout_, plant, {velocities(v_0_), v_plus_, between}, integrals_);
    if (contacts_.any() && plant.holds_roots()) {
      for (std::size_t k = 0; k < nv_; ++k)
        xi_[k] = v_plus_[k] - v_0_[k] - h_ * vdot_[k];  // beyond what the rates have booked
      book_wrench(integrals_, layout_.world(), plant.world_on_roots_at_once(contacts_.impulses(), xi_));
    }
    std::ranges::copy(v_plus_, v_.begin());
    for (std::size_t k = nv_; k < v_.size(); ++k) v_[k] = v_0_[k] + h_ * vdot_[k];
    drift(q_m_, v_plus_, q_);  // (3)
    if (tumbles_) tumbling_.drift(0.5 * h_, q_m_, v_plus_, q_, v_);
    if (sleeping_ != nullptr) {
      sleeping_->keep(q_m_, q_);
      book_wrench(integrals_, layout_.outside(layout_.sleep()), sleeping_->finish(h_, q_, v_, vdot_), -1);
    }
    segment_.h = h_;
    curve_due_ = true;
    if (stiff_ == nullptr) return;
    const bool evenly = implicit_ && !contacts_.struck(), serves_next = foresight_.knows(h_);
    foresight_.take(velocities(v_0_), v_plus_, h_, evenly);
    // What was prepared last is not of this step where it went by kept matrices.
    if (evenly && !tumbles_ && (by_kept_ || (!stiff_->answers_by_plant() && stiff_->rows().empty())))
      kept_->take(contacts_, v_plus_, by_kept_, serves_next);
    else
      kept_->forget();
  }

  // Parabolas that begin with v⁻; straight ways where something was struck, which would dip into what it struck.
  void make_curve() override {
    segment_.q_0 = q_0_;
    difference<double>(flow_.model(), q_0_, q_, xi_);
    const bool straight = contacts_.struck();
    for (std::size_t k = 0; k < nv_; ++k) {
      const double slope = straight ? xi_[k] : h_ * v_start_[k];
      segment_.x[k] = 0, segment_.x[nv_ + k] = slope, segment_.x[2 * nv_ + k] = xi_[k] - slope;
    }
    lines(v_start_, v_, segment_.v);
    lines({}, integrals_, segment_.integrals);
  }
  static void lines(std::span<const double> from, std::span<const double> to, std::span<double> rows) {
    const std::size_t n = to.size();
    for (std::size_t k = 0; k < n; ++k) {
      const double y = from.empty() ? 0 : from[k];
      rows[k] = y, rows[n + k] = to[k] - y, rows[2 * n + k] = 0;
    }
  }

  ImplicitForces* stiff_;
  bool implicit_ = false;  // in this step
  Tumbling tumbling_;
  bool tumbles_ = false;       // something does, in this step
  bool only_gravity_ = false;  // v̇ is the same whatever v is: one round finds v⁺
  Surroundings& around_;
  TorquesInJoints& in_joints_;
  SteppedContacts& contacts_;
  Sleeping* sleeping_;  // null: nothing ever does
  const RateLayout& layout_;
  std::size_t nv_;
  double h_ = 0, t_m_ = 0;
  std::vector<double> q_0_, q_m_, q_bar_, v_start_, v_0_, v_m_, vdot_, v_free_, v_plus_, p_, force_, force_change_, xi_,
      rates_, integrals_;
  std::vector<double> vdot_before_, rates_before_, force_before_;  // of the first round
  std::vector<double> v_last_, v_free_last_;                       // of the round before; empty in the first
  std::vector<double> given_;                                      // impulses of the step
  std::vector<double> way_;                                        // scratch of way()
  double change_ = 0;                                              // of v⁺, by the last round
  double free_change_ = 0;                                         // of v_free
  State state_;
  Foresight foresight_;
  std::optional<KeptMatrices> kept_;
  bool by_kept_ = false;   // with these the step was solved
  bool foreseen_ = false;  // the round that was taken last is the first, and from there
};

}  // namespace

std::unique_ptr<Method> make_stepping(Flow& flow, Surroundings& around, TorquesInJoints& in_joints,
                                      SteppedContacts& contacts, const RateLayout& layout, ImplicitForces* stiff,
                                      Tumbling tumbling) {
  return std::make_unique<Stepping>(flow, around, in_joints, contacts, layout, stiff, std::move(tumbling));
}

}  // namespace marey

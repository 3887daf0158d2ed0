// What constrains motion: constraint rows, and how a figure responds to their forces; no time stepping.
//
// Everything that constrains motion is a row: a linear function J v of the velocities, whose rate of change is J v̇ +
// J̇ v, and a multiplier λ (a force; at an instant, an impulse P) that acts on the figure as Jᵀ λ. With the Delassus
// matrix A = J M⁻¹ Jᵀ
//   acceleration level   a = A λ + a_free           a_free: J v̇ + J̇ v without the rows' forces
//   impact               u⁺ = A P + u⁻              u = J v
// are the same equations.
//
// All functions are for double only; workspaces are made once, for the largest number of rows, and no call allocates
// after that.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "marey/dynamics.h"

namespace marey {

// ---- rows
inline constexpr double unbounded = std::numeric_limits<double>::infinity();

// One scalar constraint: of a contact, a loop, a drive or a limit. A drive gives its desired acceleration in `target`;
// a compliant row has compliance > 0: J v̇ + bias + compliance λ = target. Which λ are allowed (the cone of a contact,
// whose three rows stand together, the normal first) is decided by whoever solves for them.
struct Row {
  std::span<const double> J;  // [nv]
  double bias = 0;            // J̇ v
  double target = 0;          // desired value of J v̇ + bias
  double compliance = 0;      // m/s² per N (rad/s² per N m)
  double whole = 0;           // what |J| would be if nothing in it had cancelled
  double reach = 0;           // the same, with levers as long as the way to the root; 0: neither is known
};

// Rows with room for their J, made once.
class RowSet {
 public:
  // For rows of at most as many velocities as the model has.
  RowSet(const Model&, int capacity);
  void clear() { size_ = 0; }
  // The same, for rows of this many velocities from now on.
  void clear(std::size_t velocities);
  std::size_t velocities() const { return nv_; }
  int size() const { return size_; }
  int capacity() const { return static_cast<int>(rows_.size()); }
  Row& operator[](int i) { return rows_[static_cast<std::size_t>(i)]; }
  const Row& operator[](int i) const { return rows_[static_cast<std::size_t>(i)]; }
  // A new row with J = 0; its J is to be filled through the span returned.
  std::span<double> add(const Row& = {});

 private:
  std::size_t nv_;
  int size_ = 0;
  std::vector<double> J_;  // [capacity × nv]
  std::vector<Row> rows_;  // [capacity]
};

// Angular and linear acceleration of every link, of Bo in W, for v̇ = 0.
struct BiasMotion {
  explicit BiasMotion(const Model&);
  std::vector<Twist<double>> A_WB;  // [nlink]; by bias_motion
  std::vector<int> links;           // those wanted, with all between them and the world; ascending; initially all
};
void bias_motion(const Model&, const Params<double>&, std::span<const double> q, std::span<const double> v,
                 const Kinematics<double>&, BiasMotion&);

// ---- constraints in terms of links
// What λ = 1 of a row does to one link: a wrench about Bo, in the axes of W.
struct LinkWrench {
  int link = 0;
  Wrench<double> F_Bo_W;
  double moment = 0;  // what |n| would be if nothing in it had cancelled, as a lever times a force; 0: |n|
};
// One scalar equation g(links' poses, t) = 0 or, where it is nonholonomic, only ġ = 0, independent of the coordinates
// that the links have. Its Jacobian is given by what its multiplier does: ġ = Σ F_Bo_W · V_WB + (∂g/∂t), the sum over
// its parts, and g̈ = Σ F_Bo_W · A_WB + bias, A_WB the links' accelerations (of Bo, in W).
struct ConstraintRow {
  std::array<LinkWrench, 4> parts{};  // parts on the world (link 0) are omitted or ignored
  int part_count = 0;
  bool holonomic = true;
  double value = 0;       // g, m or rad; 0 where it is nonholonomic
  double rate = 0;        // ġ
  double time_rate = 0;   // ∂g/∂t: −λ ∂g/∂t is the power that a moving constraint puts in
  double bias = 0;        // of g̈: all terms without A_WB
  double compliance = 0;  // as in Row
};

// What a unit of each velocity gives its link relative to its parent: angular velocity and velocity of Bo, in W.
struct MotionAxes {
  explicit MotionAxes(const Model&);
  std::vector<Twist<double>> S_W;  // [nv]; by motion_axes
  struct Way {
    Vec3<double> r;                // from the origin of the parent to that of the link, in W
    double length = 0;             // |r|
    double to_world = 0;           // the sum of these lengths from the world on
    double turns = 0, shifts = 0;  // Σ |S.w|², Σ |S.v|² over the degrees of freedom of its joint
  };
  std::vector<Way> ways;   // [nlink]; likewise
  std::vector<int> links;  // as in BiasMotion
};
void motion_axes(const Model&, const Params<double>&, const Kinematics<double>&, MotionAxes&);
// What the velocities x give the links of the axes: angular velocity and velocity of Bo, in W. V_WB: [nlink].
void link_motions(const Model&, const MotionAxes&, std::span<const double> x, std::span<Twist<double>> V_WB);
// The power of a row's unit multiplier while links move so: with link_motions() it is J x.
double power_of(const ConstraintRow&, std::span<const Twist<double>> V_WB);
// The acceleration due to velocities alone, along the row.
double bias_of(const ConstraintRow&, const BiasMotion&);
// Adds the row in terms of the velocities: its J by one sweep inward from each part, its bias with the accelerations
// due to velocities alone, and what |J| would be if nothing had cancelled.
void add_row(const Model&, const ConstraintRow&, const MotionAxes&, const BiasMotion&, RowSet&);
// All of them; neighbours that act on the same links are swept together.
void add_rows(const Model&, std::span<const ConstraintRow>, const MotionAxes&, const BiasMotion&, RowSet&);
// Of rows whose J nobody needs: |J|, and whole and reach as in Row.
struct RowLengths {
  double own = 0, whole = 0, reach = 0;
};
void row_lengths(const Model&, std::span<const ConstraintRow>, const MotionAxes&, std::span<RowLengths>);

// ---- Delassus
// Half of the response to impulses along rows: u and D⁻¹ u of each, with J M⁻¹ J′ᵀ = u · D⁻¹ u′ for any two of them.
struct HalfResponse {
  static constexpr std::size_t lanes = 4;  // rows that are processed together
  std::size_t blocks = 0;                  // of `lanes` rows each, the last one filled up with empty rows
  std::size_t freedoms = 0;             // of the joints between what rows act on and the world; outermost links first
  std::vector<double> u, D_inverse_u;   // [freedoms × blocks × lanes]
  std::vector<std::size_t> begin, end;  // [blocks] range of the freedoms, in their order, where its rows are not 0
  std::vector<int> links;               // of a tree: whose joints these are, in that order
  std::vector<double> of_one;           // [2 nv] scratch

  // Room for this many velocities and rows, once.
  void prepare(std::size_t nv, std::size_t rows);
};

// The response to impulses in one configuration: Δv = M⁻¹ p. M belongs to whatever moves: a tree of joints, one with
// welded joints, or bodies whose joints are rows themselves.
class Response {
 public:
  virtual ~Response() = default;
  virtual void respond(std::span<const double> p, std::span<double> dv) = 0;
  // False: not available. Unless overridden, row by row.
  virtual bool half_respond(const RowSet&, HalfResponse&);
  // For one p that is 0 except in a few joints: u and D⁻¹ u, both [nv].
  virtual bool half_respond_to(std::span<const double> /*p*/, std::span<double> /*u*/,
                               std::span<double> /*D_inverse_u*/) {
    return false;
  }
  // The same by what rows do to links, without their J. False: not known.
  virtual bool half_respond_to_links(std::span<const ConstraintRow>, HalfResponse&) { return false; }
  // Where that is known: the other half, Δv of impulses x along the rows, by the factors with which the first was found, though
  // links may have moved a little since.
  virtual void respond_by_half(const HalfResponse&, std::span<const double> /*x*/, std::span<double> /*dv*/) {}
};

// For a tree, by the articulated inertias that one pass of aba() leaves in its workspace: one inward and one outward
// pass of vectors for each impulse, O(nlink); or only the inward pass, along the way to the world.
class TreeResponse final : public Response {
 public:
  explicit TreeResponse(const Model& model) : links_(model.links.size()), zero_(static_cast<std::size_t>(model.nv)) {}
  // `factored`: after aba() in this configuration, with any velocities and forces; must stay alive.
  void use(const Model&, const Params<double>&, const AbaWorkspace<double>& factored);
  void respond(std::span<const double> p, std::span<double> dv) override;
  bool half_respond(const RowSet&, HalfResponse&) override;
  bool half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) override;
  // By what rows do to links; X_WB: [nlink] where these are.
  void half_respond_at(std::span<const ConstraintRow>, std::span<const Transform<double>> X_WB, HalfResponse&);
  void respond_by_half(const HalfResponse&, std::span<const double> x, std::span<double> dv) override;

 private:
  struct LinkResponse {
    Wrench<double> p;
    Vec3<double> w_dot, a;
    std::array<double, most_freedoms> u{}, D_inverse_u{};
    Sym3<double> mobility;    // of free joints: (M − Hᵀ J⁻¹ H)⁻¹
    long long found_for = 0;  // which use() it belongs to
  };
  const Sym3<double>& mobility(int i);
  void begin_half(std::size_t rows, HalfResponse&);
  void put_wrenches(std::span<const ConstraintRow>, std::span<const Transform<double>> X_WB, std::size_t blocks);
  template <class InJoints>
  void sweep_half(InJoints, HalfResponse&);
  template <bool may_act, class T>
  void pass_on(int i, const Wrench<T>& passed, std::size_t to);
  void inward(const double* tau, int i);
  void outward(int i, double* vdot);
  template <class T, class Tau, class Out>
  Wrench<T> answer(int i, const Wrench<T>& p, const Tau&, const Out&);

  const Model* model_ = nullptr;
  const Params<double>* params_ = nullptr;
  const AbaWorkspace<double>* factored_ = nullptr;
  std::vector<LinkResponse> links_;
  std::vector<const double*> J_;  // [blocks × lanes] scratch of half_respond()
  std::vector<char> reached_;     // [nlink × blocks] likewise
  std::vector<char> waits_;       // [nlink] whether any block has reached it
  std::vector<double> carried_;   // [nlink × blocks × 6 × lanes] likewise
  std::vector<double> zero_;      // [nv]
  std::vector<double> x_;         // [blocks × lanes] scratch of respond_by_half()
  long long uses_ = 0;
};

// A = J M⁻¹ Jᵀ + diag(compliance), and the rows' responses M⁻¹ Jᵀ.
class Delassus {
 public:
  Delassus(const Model&, int capacity);
  void compute(const RowSet&, Response&);
  // Only A, where the response offers half_respond(). Both arguments must stay alive, and the response unchanged, for
  // what follows.
  void compute_matrix(const RowSet&, Response&);
  void compute_matrix(const Model&, const Params<double>&, const AbaWorkspace<double>& factored, const RowSet&);
  // A alone, of rows without J. False: the response does not know it.
  bool compute_matrix(std::span<const ConstraintRow>, Response&);
  // To be called after it, where responses of single rows are needed.
  void compute_responses();
  // For a tree; `factored` as in TreeResponse.
  void compute(const Model&, const Params<double>&, const AbaWorkspace<double>& factored, const RowSet&);
  int size() const { return size_; }
  // [size × size] row-major, symmetric.
  std::span<const double> A() const { return {A_.data(), static_cast<std::size_t>(size_ * size_)}; }
  // M⁻¹ Jᵀ of one row, [nv].
  std::span<const double> response(int row) const;
  const HalfResponse& half() const { return half_; }  // of the last compute_matrix() of rows without J
  // v += M⁻¹ Jᵀ λ, for velocities and impulses or accelerations and forces.
  void add_response(std::span<const double> lambda, std::span<double> v);
  // Changes each row's response into one that leaves other rows as they are: response −= (their responses) G, with G of
  // [theirs × size], row-major, and A −= their A times G likewise. `across` is their J times these responses,
  // [theirs × size]; G solves A_theirs G = across.
  void eliminate(const Delassus& theirs, std::span<const double> across, std::span<const double> G);

 private:
  void multiply_halves();

  std::size_t nv_;
  int size_ = 0;
  std::vector<double> A_, response_;
  // By compute_matrix(), until there are responses; null: there are.
  const RowSet* rows_ = nullptr;
  Response* plant_ = nullptr;
  HalfResponse half_;                // of compute_matrix()
  std::vector<double> u_, dv_;       // [nv] scratch
  std::vector<std::size_t> filled_;  // [nv] scratch
  TreeResponse tree_;
};

// ---- test forces
// Gives any m linear functions of the accelerations their desired values, in O(m nlink + m³): forces λ along the rows'
// own J with J v̇ + bias = target. The response of the figure to a unit of each (a test force) gives A = J M⁻¹ Jᵀ, and
// A λ = target − bias − J v̇. Rows may be redundant: then λ is the one of least norm, its entries weighted by √A_ii.
class TestForces {
 public:
  TestForces(const Model&, int capacity);
  ~TestForces();
  // vdot: on entry without the rows' forces, on return with them. `factored`: as in Delassus. Returns the rank of the
  // rows.
  int prescribe(const Model&, const Params<double>&, const AbaWorkspace<double>& factored, const RowSet&,
                std::span<double> vdot);
  std::span<const double> lambda() const { return {lambda_.data(), static_cast<std::size_t>(delassus_.size())}; }
  // The largest residual of a row, |J v̇ + bias + compliance λ − target|: above rounding where rows contradict each
  // other or the figure cannot satisfy them.
  double left_over() const { return left_over_; }

 private:
  Delassus delassus_;
  std::unique_ptr<class RowSystem> system_;
  std::vector<double> rhs_, lambda_;
  double left_over_ = 0;
};

}  // namespace marey

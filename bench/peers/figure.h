// A figure and its states as plain numbers: what a parent process and a peer program tell each other.
// It leans on nothing of Marey, so that a peer stays an independent referee. PROTOCOL.md says the text form.
//
// Frames: P the parent link, F the joint frame fixed in P, B the link, whose origin Bo is its proximal joint.
// X_PB = X_PF * X_FB(q).
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace marey::peers {

enum class PeerJoint { weld, hinge, slider, ball, free };

inline constexpr std::array<const char*, 5> peer_joint_names = {"weld", "hinge", "slider", "ball", "free"};
inline constexpr std::array<int, 5> peer_joint_nq = {0, 1, 1, 4, 7};
inline constexpr std::array<int, 5> peer_joint_nv = {0, 1, 1, 3, 6};

inline int joint_nq(PeerJoint joint) { return peer_joint_nq[static_cast<size_t>(joint)]; }
inline int joint_nv(PeerJoint joint) { return peer_joint_nv[static_cast<size_t>(joint)]; }

struct PeerLink {
  int parent = 0;  // link index; 0 is the world, and a parent comes before its children
  PeerJoint joint = PeerJoint::weld;
  std::array<double, 4> quat_PF = {1, 0, 0, 0};        // w x y z, unit
  std::array<double, 3> p_PoFo_P = {0, 0, 0};          // m
  std::array<double, 3> axis_F = {0, 0, 1};            // unit; of a hinge or slider
  double mass = 0;                                     // kg
  std::array<double, 3> p_BoBcm_B = {0, 0, 0};         // m
  std::array<double, 6> J_BBo_B = {0, 0, 0, 0, 0, 0};  // xx yy zz xy xz yz, entries of the matrix, kg m²
};

struct PeerFigure {
  std::vector<PeerLink> links;  // links[i] is link i + 1; the world is not listed
  std::array<double, 3> gravity = {0, 0, -9.81};

  int nq() const {
    int n = 0;
    for (const PeerLink& link : links) n += joint_nq(link.joint);
    return n;
  }
  int nv() const {
    int n = 0;
    for (const PeerLink& link : links) n += joint_nv(link.joint);
    return n;
  }
};

// Coordinates in order of the links. hinge, slider: q along the axis, v = dq/dt.
// ball: q = quaternion of R_FB, v = w_FB_B. free: q = (quaternion of R_FB, p_FoBo_F), v = (w_FB_B, v_FBo_F).
// tau is dual to v (free: moment about Bo in B, force in F).
struct PeerState {
  std::vector<double> q, v, tau;
  std::vector<double> vdot;  // asked of inverse dynamics
};

// What acts in the joints during a motion beside gravity, [nv] each: torque − stiffness q − damping v. Stiffness is for hinges and
// sliders, whose q is one number.
struct PeerActing {
  std::vector<double> torque, stiffness, damping;
};

// What a peer can be asked to compute. The "whole" tasks are the rival's own one-call entry points, where
// they do more than is needed; the plain ones are its fastest sequence of calls that gives the answer.
enum class PeerTask { forward, inverse, massmatrix, forward_whole, inverse_whole };

inline constexpr std::array<const char*, 5> peer_task_names = {"forward", "inverse", "massmatrix", "forward_whole",
                                                               "inverse_whole"};

inline void append_number(std::string& text, double x) {
  char buffer[40];
  const int length = std::snprintf(buffer, sizeof buffer, " %.17g", x);
  text.append(buffer, static_cast<size_t>(length));
}

template <class Numbers>
void append_numbers(std::string& text, const Numbers& numbers) {
  for (double x : numbers) append_number(text, x);
}

inline std::string to_text(const PeerFigure& figure) {
  std::string text = "figure " + std::to_string(figure.links.size()) + "\n";
  for (const PeerLink& link : figure.links) {
    text += std::to_string(link.parent) + " " + peer_joint_names[static_cast<size_t>(link.joint)];
    append_numbers(text, link.quat_PF);
    append_numbers(text, link.p_PoFo_P);
    append_numbers(text, link.axis_F);
    append_number(text, link.mass);
    append_numbers(text, link.p_BoBcm_B);
    append_numbers(text, link.J_BBo_B);
    text += "\n";
  }
  text += "gravity";
  append_numbers(text, figure.gravity);
  return text + "\n";
}

inline std::string to_text(const PeerActing& acting) {
  std::string text = "acting\n";
  const auto line = [&text](const char* word, const std::vector<double>& numbers) {
    text += word;
    append_numbers(text, numbers);
    text += "\n";
  };
  line("torque", acting.torque);
  line("stiffness", acting.stiffness);
  line("damping", acting.damping);
  return text;
}

inline std::string to_text(const std::vector<PeerState>& states) {
  std::string text = "states " + std::to_string(states.size()) + "\n";
  const auto line = [&text](const char* word, const std::vector<double>& numbers) {
    text += word;
    append_numbers(text, numbers);
    text += "\n";
  };
  for (const PeerState& state : states) {
    line("q", state.q);
    line("v", state.v);
    line("tau", state.tau);
    line("vdot", state.vdot);
  }
  return text;
}

}  // namespace marey::peers

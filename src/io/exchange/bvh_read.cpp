// BVH as it comes. There is no standard, only a description by its makers (Biovision, 1990s; Meredith & Maddock, Motion Capture File
// Formats Explained, Sheffield CS-01-11, 2001); programs write: keywords in any case, braces on any line, names with spaces or
// colons, any number of channels in any order, several roots, "End Site" under other spellings and with names, "Frames:60"
// without a space, frames that go on over several lines, a byte order mark. All of these are read. What contradicts itself is refused.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

#include "marey/core.h"
#include "marey/core/index.h"
#include "marey/core/text.h"
#include "marey/io/bvh.h"

namespace marey {

namespace {

constexpr int most_joints = 10'000, most_depth = 1'000;
constexpr double longest_offset = 1e9, longest_frame = 1e6;

struct Word {
  std::string_view text;
  int line = 1, column = 1;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

// Words, of which each brace is one; each knows its place.
class BvhText {
 public:
  BvhText(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }
  const Word& next() {
    skip_space();
    word_ = {text_.substr(at_, 0), line_, static_cast<int>(at_ - line_start_) + 1};
    if (at_ == text_.size()) return word_;
    std::size_t end = at_ + 1;
    if (!is_brace(text_[at_]))
      while (end < text_.size() && !is_space(text_[end]) && !is_brace(text_[end])) ++end;
    word_.text = text_.substr(at_, end - at_);
    at_ = end;
    return word_;
  }
  // Looks without going on.
  Word peek() {
    const BvhText before = *this;
    const Word seen = next();
    at_ = before.at_, line_ = before.line_, line_start_ = before.line_start_, word_ = before.word_;
    return seen;
  }
  // What is left of the line, or up to a brace: names hold spaces. May be empty.
  std::string rest_of_line() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    word_ = {text_.substr(at_, 0), line_, static_cast<int>(at_ - line_start_) + 1};
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != '\r' && !is_brace(text_[end])) ++end;
    const std::size_t next = end;
    while (end > at_ && is_space(text_[end - 1])) --end;
    word_.text = text_.substr(at_, end - at_);
    at_ = next;
    return std::string(word_.text);
  }
  void expect(const char* text) {
    if (!same(next().text, text)) refuse(fmt::format("'{}'", text));
  }
  double number(const char* what) {
    std::string_view digits = next().text;
    if (digits.starts_with("+")) digits.remove_prefix(1);
    double x = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(x)) refuse(what);
    return x;
  }
  // "Frames: 60" and "Frames:60", "Frame Time: 0.1" and "FrameTime:0.1".
  double labelled_number(std::initializer_list<const char*> labels, const char* what) {
    for (const char* label : labels) {
      const bool last = label == *(labels.end() - 1);
      const std::string_view wanted = label;
      next();
      if (!last) {
        if (!same(word_.text, wanted)) refuse(fmt::format("'{}'", label));
        continue;
      }
      if (!same(word_.text.substr(0, wanted.size()), wanted)) refuse(fmt::format("'{}'", label));
      at_ -= word_.text.size() - wanted.size();  // what is glued to it
    }
    skip_space();
    if (at_ < text_.size() && text_[at_] == ':') ++at_;
    return number(what);
  }
  [[noreturn]] void refuse(const std::string& expected) const { refuse(word_, expected); }
  [[noreturn]] void refuse(const Word& word, const std::string& expected) const {
    const bool at_end = word.text.data() == text_.data() + text_.size();
    const std::string found = !word.text.empty() ? "'" + printable(word.text) + "'"
                              : at_end           ? "its end"
                                                 : "the end of the line";
    throw Error(ErrorKind::bad_input,
                fmt::format("{}:{}:{}: found {}; expected {}", file_, word.line, word.column, found, expected));
  }
  const Word& last() const { return word_; }

 private:
  static bool is_brace(char c) { return c == '{' || c == '}'; }
  void skip_space() {
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_)
      if (text_[at_] == '\n') ++line_, line_start_ = at_ + 1;
  }
  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  Word word_;
};

class BvhReader {
 public:
  BvhReader(std::string_view text, const std::string& file) : text_(text, file) {}

  BvhMotion read() {
    text_.expect("HIERARCHY");
    while (!same(text_.next().text, "MOTION")) {
      if (!same(text_.last().text, "ROOT")) text_.refuse(motion_.joints.empty() ? "ROOT" : "ROOT or MOTION");
      tree();
    }
    if (motion_.joints.empty()) text_.refuse("ROOT: a motion of nothing has no joints");
    frames();
    return std::move(motion_);
  }

 private:
  // A root and all below it, in any depth, without recursion. Ends of limbs are entered as −1.
  void tree() {
    open_.clear();
    open(add_joint(-1));
    while (!open_.empty()) {
      const Word word = text_.next();
      const int at = open_.back();
      if (word.text == "}") {
        if (at >= 0 && !has_offset_.back()) text_.refuse("OFFSET before the end of the joint");
        open_.pop_back(), has_offset_.pop_back();
      } else if (same(word.text, "OFFSET")) {
        offset(word, at);
      } else if (at >= 0 && same(word.text, "CHANNELS")) {
        channels(word, motion_.joints[index(at)]);
      } else if (at >= 0 && same(word.text, "JOINT")) {
        open(add_joint(at));
      } else if (at >= 0 && (same(word.text, "End") || same(word.text, "EndSite") || same(word.text, "End_Site"))) {
        text_.rest_of_line();  // "Site", and perhaps a name
        open(-1 - at - 1);
      } else {
        text_.refuse(at >= 0 ? "OFFSET, CHANNELS, JOINT, End Site or }" : "OFFSET or }");
      }
    }
  }
  void open(int joint) {
    text_.expect("{");
    if (open_.size() == most_depth) text_.refuse(fmt::format("at most {} joints one below another", most_depth));
    open_.push_back(joint), has_offset_.push_back(false);
  }
  int add_joint(int parent) {
    BvhJoint joint;
    joint.name = text_.rest_of_line();
    joint.parent = parent;
    if (joint.name.empty()) text_.refuse("the name of a joint");
    if (!names_.insert(joint.name).second) text_.refuse("a name that no other joint has");
    if (motion_.joints.size() == most_joints) text_.refuse(fmt::format("at most {} joints", most_joints));
    motion_.joints.push_back(std::move(joint));
    return static_cast<int>(motion_.joints.size()) - 1;
  }
  void offset(const Word& word, int at) {
    if (has_offset_.back()) text_.refuse(word, "one OFFSET for each joint");
    has_offset_.back() = true;
    Vec3<double> p;
    for (int k = 0; k < 3; ++k) {
      p[k] = text_.number("a number, of three of an OFFSET");
      if (std::abs(p[k]) > longest_offset) text_.refuse(fmt::format("a number up to {:.0e}", longest_offset));
    }
    if (at >= 0)
      motion_.joints[index(at)].offset = p;
    else
      motion_.joints[index(-at - 2)].end = p;
  }
  void channels(const Word& word, BvhJoint& joint) {
    if (!joint.channels.empty()) text_.refuse(word, "one list of CHANNELS for each joint");
    const double count = text_.number("the number of channels, from 0 to 6");
    if (!(count >= 0 && count <= 6) || count != std::floor(count)) text_.refuse("the number of channels, from 0 to 6");
    joint.first = motion_.width;
    bool seen[2][3] = {};
    for (int k = 0; k < static_cast<int>(count); ++k) {
      const std::string_view name = text_.next().text;
      const char axis = name.empty() ? ' ' : lower(name[0]);
      const std::string_view rest = name.empty() ? name : name.substr(1);
      const bool turns = same(rest, "rotation");
      if (axis < 'x' || axis > 'z' || (!turns && !same(rest, "position")))
        text_.refuse("Xposition, Yposition, Zposition, Xrotation, Yrotation or Zrotation");
      if (std::exchange(seen[turns ? 1 : 0][axis - 'x'], true)) text_.refuse("each channel once");
      joint.channels.push_back({turns, axis - 'x'});
    }
    motion_.width += static_cast<int>(count);
  }

  void frames() {
    const double count = text_.labelled_number({"Frames"}, "the number of frames");
    if (!(count >= 1 && count <= 1e9) || count != std::floor(count)) text_.refuse("a whole number of frames, from 1");
    // Otherwise the numbers of a frame, all of which have to be there, say how many frames a file can have.
    if (motion_.width == 0 && count > 1) text_.refuse("1 frame, as no joint has CHANNELS");
    const bool one_word = same(text_.peek().text.substr(0, 9), "FrameTime");
    motion_.frame_time = one_word ? text_.labelled_number({"FrameTime"}, "seconds from frame to frame")
                                  : text_.labelled_number({"Frame", "Time"}, "seconds from frame to frame");
    if (!(motion_.frame_time > 0 && motion_.frame_time <= longest_frame)) text_.refuse("a time above zero, in seconds");
    motion_.frames = static_cast<int>(count);
    const double whole = count * motion_.width;
    if (whole > 2e9) text_.refuse("fewer frames");
    while (!text_.peek().text.empty()) {
      if (static_cast<double>(motion_.values.size()) == whole)
        text_.next(),
            text_.refuse(fmt::format("the end, after {} frames of {} numbers", motion_.frames, motion_.width));
      motion_.values.push_back(text_.number("a number of a frame"));
      if (std::abs(motion_.values.back()) > longest_offset)
        text_.refuse(fmt::format("a number up to {:.0e}", longest_offset));
    }
    text_.next();
    if (static_cast<double>(motion_.values.size()) < whole)
      text_.refuse(fmt::format("{} frames of {} numbers, of which {} are there", motion_.frames, motion_.width,
                               motion_.values.size()));
  }

  BvhText text_;
  BvhMotion motion_;
  std::set<std::string> names_;
  std::vector<int> open_;  // joints that were entered and not left
  std::vector<bool> has_offset_;
};

}  // namespace

BvhMotion parse_bvh(std::string_view text, const std::string& file) { return BvhReader(text, file).read(); }

}  // namespace marey

// Which datasets the channels of a motion stand in. Channels of one kind, "link/*/position", are one table, so that what a
// file costs beside its numbers is names, once:
//
//   /link/position   [frame][member][column]   all members have the same columns; [frame][member] where that is one
//   /joint/angle     [frame][column]           members differ, as hinges and balls do: one label for every column
//   /energy/kinetic  [frame], [frame][column]  a channel that stands alone
//
// A label is a member's name, "arm.elbow", or where members differ that of a column of it, "arm.shoulder.x".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marey/sim.h"

namespace marey {

// What channels of a table have in common.
struct TableKind {
  std::vector<std::string> columns;
  std::string unit, meaning;
  bool operator==(const TableKind&) const = default;
};

struct Table {
  std::string path;                    // of its dataset: "link/position"
  std::string pattern;                 // what its channels are called: "link/*/position"
  bool alone = false;                  // one channel, called as the pattern
  std::vector<TableKind> kinds;        // mostly one
  std::vector<std::size_t> members;    // the channels, by their numbers in the motion
  std::vector<std::uint32_t> kind_of;  // [members]
  std::size_t width = 0;               // numbers in a frame
  std::string labels_at;               // path of the list of labels; not of one that is alone
  std::string kinds_at;                // path of kind_of, where there are several kinds

  bool same_columns() const;
  // The extents of its dataset after the first, which is that of frames.
  std::vector<std::size_t> extents() const;
};

// A list of labels, shared by all tables that have the same.
struct LabelList {
  std::string path;  // "link/names"
  std::vector<std::string> labels;
};

struct Tables {
  std::vector<Table> all;
  std::vector<LabelList> lists;
  std::vector<std::uint32_t> table_of;  // [channels]
};

// `taken`: paths that tables and lists may not have.
Tables tables_of(const std::vector<Channel>&, const std::vector<std::string>& taken = {});
// As in motions of format 1: every channel in a dataset of its own.
Tables tables_of_single_channels(const std::vector<Channel>&);

// A part of a row of the motion: columns that are neighbours there and in their table.
struct Stretch {
  std::size_t first, count;
};
// [tables] What each takes of a row, one after another.
std::vector<std::vector<Stretch>> stretches_of(const Tables&, const std::vector<Channel>&);

// A member's name with a label for each of its columns, or, in a table of equal columns, one for all of them.
std::string label_of(const std::string& member, const std::string& column);
// The member's name in the label of its first column; throws std::invalid_argument if it is no such label.
std::string member_in(const std::string& label, const std::string& column);
// "link/*/position" of "link/tip/position"; a name without a member, or with a star, as it is.
std::string pattern_of_kind(const std::string& channel);
// The channel's name: the pattern with the member's name in the place of its star.
std::string channel_name(const Table&, const std::string& member);

}  // namespace marey

// Motions on disk: what a run recorded, in one HDF5 file that describes itself and survives the death of its writer.
// docs/guide/motion-files.md gives the layout; src/io/motion/file.cpp says why killing the writer cannot damage it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "marey/io/scene.h"
#include "marey/sim.h"
#include "marey/sim/channel_names.h"

namespace marey {

// ----------------------------------------------------------------------------------------------- reading
enum class MotionEnd {
  open,         // still being written, or its writer was killed
  interrupted,  // Ctrl-C
  broke_down,   // the simulation could not go on
  done,
};

// Everything a motion says about itself, without its numbers.
struct MotionInfo {
  std::string file;
  std::string program_version;
  std::string title, source, scene_file, scene_text;
  std::vector<NamedBytes> scene_files;  // Scene::files
  double duration = 0;                  // s, as run: the scene's own, or that of the command line
  SolverOptions solver;                 // as run
  RecordOptions record;                 // as run
  std::vector<Channel> channels;
  std::vector<ItemList> lists;  // what came as it came (read_items)
  bool takes_inputs = false;    // Scene::takes_inputs
  std::size_t frames = 0;
  std::string summary;  // JSON; empty while `end` is open
  MotionEnd end = MotionEnd::open;

  // After a breakdown: when, which body, why; else empty.
  std::string breakdown() const;
  // Index of a channel; throws Error with the nearest name when there is none.
  std::size_t find(std::string_view channel) const;
  bool has(std::string_view channel) const;
};

struct Motion : MotionInfo {
  // [channel][frame × columns + column]; empty for channels that were not requested.
  std::vector<std::vector<double>> values;

  std::span<const double> time() const { return values.at(0); }
  // All columns of a channel, frame by frame.
  std::span<const double> channel(std::string_view name) const;
  // The columns of one channel in one frame.
  std::span<const double> at(std::size_t channel, std::size_t frame) const;
  // One column over time: "energy/kinetic", "link/tip/position.z".
  std::vector<double> column(std::string_view name) const;
  // The frame whose time is nearest to t.
  std::size_t frame_near(double t) const;
};

// For those that look up many channels by name: MotionInfo::find goes through all of them every time.
class ChannelFinder {
 public:
  explicit ChannelFinder(const MotionInfo&);  // which has to outlive it, with its channels as they are
  bool has(const std::string& channel) const { return number_.contains(channel); }
  // As MotionInfo::find. For what `task` ("a picture") cannot do without: where the scene chose other channels to record, the
  // error says which pattern to add to them.
  std::size_t find(const std::string& channel, const std::string& task) const;

 private:
  const MotionInfo& info_;
  std::unordered_map<std::string_view, std::size_t> number_;
};
// What to do about a channel that a motion does not hold because its scene has chosen others; empty if that is not why.
std::string advice_on_missing(const MotionInfo&, std::string_view channel);

// A column by name, "link/tip/position.z"; a channel of one column needs no dot.
ColumnIndex find_column(const MotionInfo&, std::string_view name);
// Its own unit, in a channel of several: "m/s" of "rad/s, m/s".
std::string unit_of(const Channel&, std::size_t column);

// The columns that a pattern names (columns_named); throws Error with the nearest name when there is nothing of the kind.
std::vector<ColumnIndex> columns_like(const MotionInfo&, const std::string& pattern);
// Channels that a list of patterns names, in the order of the motion.
std::vector<std::size_t> select_channels(const MotionInfo&, std::span<const std::string> patterns);
// The same by columns: "link/tip/position.z" is one of them, "link/tip/position" all three.
std::vector<ColumnIndex> select_columns(const MotionInfo&, std::span<const std::string> patterns);

// Throw Error: bad_input when there is no such file, or when it is not a motion or is damaged; file_trouble when it
// exists but cannot be opened. A file that is still being written, or whose writer was killed, reads up to its last
// flush.
MotionInfo read_motion_info(const std::string& file);
Motion read_motion(const std::string& file);
// Time and the named channels only (patterns as in select_channels).
Motion read_motion(const std::string& file, std::span<const std::string> patterns);

// What was recorded as it came, any number of items from frame to frame.
struct MotionItems {
  ItemList list;
  std::vector<double> numbers;  // [item × list.width() + column]
  std::vector<std::size_t>
      ends;  // [frame]: how many there were when the frame was recorded; those after the last are more

  std::size_t count() const { return numbers.size() / list.width(); }
  std::span<const double> at(std::size_t item) const {
    return std::span(numbers).subspan(item * list.width(), list.width());
  }
};
// Throws like read_motion, and Error(bad_input) when the motion has no such list.
MotionItems read_items(const std::string& file, std::string_view list);

// The name that a number in a field of the unit `unit_of_names` stands for.
std::string name_in(const ItemList&, double number);
// Whether points that touch were recorded (marey/sim/touching_items.h).
bool has_touching(const MotionInfo&);
// Adds what they come to for every two that ever touch: "touching/ball.body+floor/force", point, points, gap, slip. read_motion() does
// it by itself where a pattern names nothing else.
void add_touching_channels(Motion&);

// Where a run can resume; none when it was interrupted before its first checkpoint.
std::optional<Checkpoint> last_checkpoint(const std::string& file);

// ----------------------------------------------------------------------------------------------- resuming
// The duration, solver and recording that the motion was run with, for load_scene() and parse_scene().
SceneOverrides options_of(const MotionInfo&);
// The scene inside the motion, with the options it was run with.
Scene scene_of(const MotionInfo&);
// All inputs while it was run (RunHooks::replay repeats them): of a motion that is not finished those that its file holds.
std::vector<Input> inputs_of(const MotionInfo&);
// Why a run of this scene is not the one in the motion; empty when it is.
std::string difference(const MotionInfo&, const Scene&);

// ----------------------------------------------------------------------------------------------- writing
// What happens to a file that already has the name of the output. The old file gives way only once the new
// run has its first frames on disk.
enum class Existing {
  refuse,
  replace,
  keep_previous,  // the old run.h5 becomes run.previous.h5
};

class MotionFile final : public Sink {
 public:
  // Checks whether the file may be written, before anything is computed. Only a motion (or an empty file) is replaced:
  // a mistyped name costs nobody a table or a picture.
  explicit MotionFile(const std::string& file, Existing = Existing::refuse);
  // Resumes a motion that is not finished; its rows after the last checkpoint will be written again.
  static MotionFile resume(const std::string& file);
  // Saves what is there if nobody called finish().
  ~MotionFile() override;
  MotionFile(MotionFile&&) noexcept;
  MotionFile& operator=(MotionFile&&) noexcept;

  // For a resumed motion: where to continue, and what it is a motion of.
  const std::optional<Checkpoint>& from() const;
  const MotionInfo& info() const;

  void begin(const MotionHeader&) override;
  void frame(std::span<const double> row) override;
  void items(std::size_t list, std::span<const double> rows) override;
  void checkpoint(const Checkpoint&) override;
  void finish(const std::string& summary_json) override;

  // Writes out what has waited for more than a second; to be called now and then while frames are slow to come.
  void keep_fresh();
  // Whether an older file was moved out of the way, and to where ("" when it was replaced).
  const std::optional<std::string>& displaced() const;

 private:
  struct Writer;
  explicit MotionFile(std::unique_ptr<Writer>);
  std::unique_ptr<Writer> writer_;
};

// ----------------------------------------------------------------------------------------------- exporting
// Comma-separated values, one line per frame, one column per recorded column, numbers that read back exactly.
// Patterns as in select_channels; none: all channels. "-" is standard output.
void export_csv(const std::string& motion_file, const std::string& csv_file, std::span<const std::string> patterns,
                Existing = Existing::refuse);
void export_csv(const std::function<Motion()>& make, const std::string& csv_file, std::span<const std::string> patterns,
                Existing = Existing::refuse);

// Takes the next piece of a file.
using TextSink = std::function<void(std::string_view)>;
// A format in which motions can be written; each has a file in src/io/exchange and a line in the list in exporters.cpp. It is asked
// for text alone: whether and where that is written is not its business.
struct Exporter {
  const char* format;  // "csv": its name, and the extension of its files
  const char* what;    // "comma-separated values, one line per frame"
  // The chosen columns, time first, of every frame (Motion::at).
  void (*write)(const Motion&, std::span<const ColumnIndex>, const TextSink&);
  // How its files begin, by which an earlier one is known; empty: their extension is all there is to know them by.
  const char* begins = "";
  // Items, of those whose names fit the pattern; null: it knows no items.
  void (*write_items)(const MotionItems&, const std::string& names, const TextSink&) = nullptr;
};
std::span<const Exporter* const> exporters();
// By its name or, if that is empty, by the extension of the output; the first where it has none. Throws for others.
const Exporter& exporter_for(const std::string& format, const std::string& output);

struct ExportRequest {
  std::string output;                   // "-" is standard output
  std::string format{};                 // of an exporter; empty: by the extension of the output
  std::vector<std::string> channels{};  // patterns; none: all
  Existing existing = Existing::refuse;
  std::string items{};  // of a list, a line for each, in its place: "touching", or those of some: "touching/*ball*"
};
// The file appears whole or not at all, and replaces nothing but an earlier one of its format: no motion, no scene, nobody's data.
void export_motion(const std::string& motion_file, const ExportRequest&);
// The same for a motion that is made only once the name of the file has been accepted.
void export_motion(const std::function<Motion()>& make, const ExportRequest&);

}  // namespace marey

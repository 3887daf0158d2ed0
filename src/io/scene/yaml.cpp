#include "io/scene/yaml.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "io/scene/yaml_text.h"
#include "marey/core.h"
#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/spec/yaml_words.h"

namespace marey {

namespace {

// A list or map that has not ended yet.
struct Open {
  std::shared_ptr<Value> node;
  YAML::anchor_t anchor = 0;
  bool key_waits = false;  // a map: the last entry has a key and no value yet
  std::unordered_set<std::string> keys;
};

// Builds the tree from yaml-cpp's events, and refuses as soon as something is wrong.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const std::string* file) : text_(text), places_(text, file) {}

  ValuePtr root() const { return root_; }
  Place place(const YAML::Mark& mark) { return places_.at(mark.pos, mark.line, mark.column); }
  // What precedes a ':' that yaml-cpp did not expect may be a key that is too long for it.
  void refuse_long_key_before(const YAML::Mark& colon) {
    const std::size_t end = std::min(static_cast<std::size_t>(std::max(colon.pos, 0)), text_.size());
    std::size_t begin = text_.rfind('\n', end == 0 ? 0 : end - 1);
    begin = text_.find_first_not_of(" -", begin == std::string_view::npos ? 0 : begin + 1);
    const int before = static_cast<int>(end - std::min(begin, end));
    YAML::Mark at = colon;
    at.pos -= before, at.column -= before;
    if (begin < end) refuse_long_key(place(at), begin);
  }
  // Where the innermost list or map that is still open began; the end of the file for none.
  Place last_open(const YAML::Mark& end) { return open_.empty() ? place(end) : open_.back().node->at; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) refuse(place(mark), "found more after the end of the scene; expected one document per file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (wants_key()) {
      refuse_long_key(place(mark), static_cast<std::size_t>(std::max(mark.pos, 0)));
      refuse(place(mark), "found an empty key; expected a name");
    }
    auto node = begin(Value::Kind::nothing, mark, "?");
    if (!open_.empty() && open_.back().node->kind == Value::Kind::map)
      node->at = open_.back().node->entries.back().key_at;
    add(node, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const Place at = place(mark);
    if (tag == "!") check_quote_closes(mark, at);
    check_characters(at, value);
    if (wants_key()) return key(at, tag != "!", value);
    auto node = begin(Value::Kind::scalar, mark, tag);
    node->text = value;
    node->quoted = tag == "!";
    add(node, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Place at = place(mark);
    if (wants_key()) refuse(at, "found an alias as a key; expected a name");
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(at, "found an alias to something that contains it; expected an end");
    add(found->second, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  bool wants_key() const {
    return !open_.empty() && open_.back().node->kind == Value::Kind::map && !open_.back().key_waits;
  }

  std::shared_ptr<Value> begin(Value::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    auto node = std::make_shared<Value>();
    node->kind = kind;
    node->at = place(mark);
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(node->at, "found a tag (" + printable(tag) + "); expected a value without one");
    return node;
  }

  void key(const Place& at, bool plain, const std::string& value) {
    Open& map = open_.back();
    if (plain && is_yaml11_boolean(value))
      refuse(at,
             "found the key '" + value + "', which many readers of YAML take for true or false; expected another name");
    if (!map.keys.insert(value).second)
      refuse(at, "found the key '" + printable(value) + "' a second time; expected each key once");
    map.node->entries.push_back({value, at, nullptr});
    map.key_waits = true;
  }

  void open(Value::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (wants_key()) refuse(place(mark), "found a list or map as a key; expected a name");
    auto node = begin(kind, mark, tag);
    if (static_cast<int>(open_.size()) >= deepest) refuse(node->at, too_deep());
    open_.push_back({node, anchor, false, {}});
  }

  void close() {
    Open last = std::move(open_.back());
    open_.pop_back();
    add(last.node, last.anchor);
  }

  // Puts a finished node into the innermost open one.
  void add(const ValuePtr& node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = node;
      return;
    }
    Open& into = open_.back();
    if (into.node->kind == Value::Kind::list) {
      into.node->items.push_back(node);
    } else {
      into.node->entries.back().value = node;
      into.key_waits = false;
    }
    into.node->size += node->size;
    into.node->height = std::max(into.node->height, node->height + 1);
    if (into.node->size > most_nodes)
      refuse(into.node->at, fmt::format("found more than {} values; expected fewer", most_nodes));
    if (static_cast<int>(open_.size()) + node->height > deepest) refuse(node->at, too_deep());
  }

  static std::string too_deep() { return fmt::format("found more than {} levels of nesting; expected fewer", deepest); }

  // YAML limits the length of keys; beyond the limit yaml-cpp does not recognise them as keys.
  void refuse_long_key(const Place& at, std::size_t begin) const {
    const bool in_quotes = begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'');
    const std::size_t end = text_.find_first_of(in_quotes ? std::string{text_[begin], '\n'} : ":\n", begin + 1);
    if (end == std::string_view::npos || text_[end] == '\n' || end - begin <= longest_key) return;
    refuse(at, fmt::format("found a key of {} letters; expected at most {}", end - begin - in_quotes, longest_key));
  }

  // yaml-cpp takes the end of the file for the end of a quoted text; look whether the quote is there.
  void check_quote_closes(const YAML::Mark& mark, const Place& at) const {
    std::size_t i = skip_properties(text_, static_cast<std::size_t>(std::max(mark.pos, 0)));
    if (i < text_.size() && (text_[i] == '"' || text_[i] == '\'') && !quote_closes(text_, i))
      refuse(at, std::string("found a quote (") + text_[i] + ") that is never closed; expected its end");
  }

  static void check_characters(const Place& at, const std::string& value) {
    for (const char c : value)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
        refuse(at, fmt::format("found the control character \\x{:02x}; expected text", static_cast<unsigned char>(c)));
  }

  std::string_view text_;
  PlaceFinder places_;
  ValuePtr root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, ValuePtr> anchors_;
};

// "key:value", as a whole line.
bool lacks_space(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" -"), line.size()), colon = line.find(':', begin);
  const auto in_key = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  return colon != std::string_view::npos && colon > begin && colon + 1 < line.size() && line[colon + 1] != ' ' &&
         std::all_of(line.begin() + static_cast<std::ptrdiff_t>(begin),
                     line.begin() + static_cast<std::ptrdiff_t>(colon), in_key);
}

// What only looks like the character meant, in the line of a complaint or in the one before, which YAML may have taken it on to.
std::string culprit_near(std::string_view text, int pos) {
  std::size_t end = std::min(static_cast<std::size_t>(std::max(pos, 0)), text.size());
  const std::size_t whole = std::min(text.find('\n', end), text.size());
  for (int lines = 0; lines < 2; ++lines) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = text.substr(begin, (lines == 0 ? whole : end) - begin);
    if (const std::string culprit = look_alike_in(line); !culprit.empty())
      return fmt::format(" (of the line '{}' {})", printable(line), culprit);
    if (lacks_space(line)) return fmt::format(" (is a space missing after ':' in the line '{}'?)", printable(line));
    if (begin == 0) break;
    end = begin - 1;
  }
  return {};
}

// yaml-cpp's complaints in the words of this project.
std::string translate(const std::string& message) {
  struct Words {
    const char *theirs, *ours;
  };
  static constexpr Words table[] = {
      {"illegal map value", "found ':' where no key can stand; expected 'key: value' lines of equal indentation"},
      {"end of map flow not found", "found '{' that is never closed; expected '}'"},
      {"end of sequence flow not found", "found '[' that is never closed; expected ']'"},
      {"end of map not found", "found text that belongs to nothing; expected a new line with 'key: value'"},
      {"end of sequence not found", "found text that belongs to nothing; expected a new line with '- value'"},
      {"illegal flow end", "found a bracket that closes nothing; expected a value"},
      {"illegal block entry", "found '- ' inside a line; expected a list on lines of its own or in [ ]"},
      {"unknown token", "found a character that cannot begin a value; expected a value, perhaps in quotes"},
      {"the referenced anchor is not defined", "found an alias to an unknown anchor; expected an earlier &name"},
  };
  for (const Words& words : table)
    if (message.find(words.theirs) != std::string::npos) return words.ours;
  return "found YAML that cannot be read (" + printable(message, 120) + "); expected well-formed YAML";
}

}  // namespace

YamlDocument parse_yaml(std::string_view raw, const std::string& file) {
  YamlDocument document;
  document.file = std::make_shared<const std::string>(file);
  const std::string text = clean_text(raw, document.file.get());
  std::istringstream stream(text);
  TreeBuilder builder(text, document.file.get());
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const YAML::Exception& e) {
    const bool unclosed = e.msg.find("flow not found") != std::string::npos;
    if (e.msg.find("illegal map value") != std::string::npos) builder.refuse_long_key_before(e.mark);
    refuse(unclosed ? builder.last_open(e.mark) : builder.place(e.mark),
           translate(e.msg) + culprit_near(text, e.mark.pos));
  }
  document.root = builder.root();
  const Place start{document.file.get(), 1, 1};
  if (!document.root || document.root->kind == Value::Kind::nothing)
    refuse(start, "found an empty file; expected a scene, beginning with 'marey: 1'");
  return document;
}

}  // namespace marey

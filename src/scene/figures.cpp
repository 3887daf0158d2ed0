#include "scene/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "marey/core/text.h"
#include "marey/model/joint_forms.h"
#include "marey/scene/keys.h"
#include "marey/spec/values.h"
#include "scene/humans.h"
#include "scene/joints.h"
#include "scene/pattern.h"
#include "scene/tissue.h"

namespace marey {

Transform<double> read_pose(MapReader& map) {
  Transform<double> X;
  if (const Value* at = map.get("at")) X.p = read_vector(*at, kinds::length);
  if (const Value* turned = map.get("turned")) X.R = rotation(read_rotation(*turned));
  return X;
}

namespace {

using Vec = Vec3<double>;

// The parent's full name: within the figure, or figure.link of another, or the world.
std::string full_parent(const std::string& figure, const std::string& parent) {
  if (parent == "world" || parent.find('.') != std::string::npos) return parent;
  return figure + "." + parent;
}

LinkDraft read_link(const Value& node, const std::string& figure, const std::string& name, const Place& at,
                    SolidReader& solids) {
  MapReader map(node, key_table("link"));
  LinkDraft draft;
  draft.figure = figure;
  draft.at = draft.parent_at = draft.mass_at = at;
  LinkSpec& spec = draft.spec;
  spec.name = figure + "." + name;
  spec.joint = JointType::free;
  const Value *parent = map.get("parent"), *joint = map.get("joint");
  if (parent) spec.parent = full_parent(figure, read_text(*parent)), draft.parent_at = parent->at;
  if (joint)
    read_joint(*joint, spec);
  else if (parent)
    refuse(node.at, fmt::format("found no joint to the parent '{}'; expected joint: {}", printable(parent->text),
                                either(joint_names())));
  spec.X_PF = read_pose(map);
  std::vector<ShapeDraft> shapes;
  if (const Value* shape = map.get("shape")) shapes = read_shapes(*shape, solids);
  for (const ShapeDraft& s : shapes) spec.shapes.push_back(s.shape);
  const MassDraft mass_draft = read_mass(map, shapes, spec.joint == JointType::point, solids);
  spec.inertia = mass_draft.inertia, draft.default_density = mass_draft.by_default;
  if (const Value* mass = map.get("mass")) draft.mass_at = mass->at;
  draft.friction = map.get("friction");
  draft.support = map.get("support");
  draft.material = map.get("material");
  draft.start = map.get("start");
  draft.wobble = map.get("wobble");
  map.done("without 'inertia'");
  return draft;
}

// ---------------------------------------------------------------------------------------------------------
// chains

void check_template(const Value& link) {
  if (link.kind != Value::Kind::map) refuse_value(link, "a map of a link's keys");
  for (const char* key : {"parent", "at"})
    if (const ValueEntry* entry = link.find(key))
      refuse(entry->key_at, fmt::format("found '{}' in the link of a chain, which hangs on the one before, one spacing "
                                        "away; expected it in 'first' or left out",
                                        key));
  if (!link.find("joint")) refuse(link.at, "found no 'joint' in the link of a chain; expected it");
}

void read_chain(const Value& node, const std::string& figure, const Place& at, FiguresDraft& out) {
  MapReader map(node, key_table("chain"));
  const long room = most_links - static_cast<long>(out.links.size());
  const long n = read_whole(map.need("links"), 1, std::max(room, 1L));
  const Vec spacing = read_vector(map.need("spacing"), kinds::length);
  const Value& link = map.need("link");
  const Value *first = map.get("first"), *last = map.get("last");
  check_template(link);
  if (last)
    for (const char* key : {"parent", "at"})
      if (const ValueEntry* entry = last->find(key))
        refuse(entry->key_at, fmt::format("found '{}' in the last link of a chain; expected it left out", key));
  const ValuePtr first_node = n == 1 ? merged(*merged(link, first), last) : merged(link, first);
  const ValuePtr last_node = merged(link, last);
  out.kept.insert(out.kept.end(), {first_node, last_node});
  const LinkDraft middle = read_link(link, figure, "1", at, *out.solids);
  for (long i = 1; i <= n; ++i) {
    const std::string name = std::to_string(i);
    LinkDraft draft = i == 1   ? read_link(*first_node, figure, name, at, *out.solids)
                      : i == n ? read_link(*last_node, figure, name, at, *out.solids)
                               : middle;
    draft.spec.name = figure + "." + name;
    if (i > 1) draft.spec.parent = figure + "." + std::to_string(i - 1), draft.spec.X_PF.p = spacing;
    out.links.push_back(std::move(draft));
  }
}

void read_links(const Value& node, const std::string& figure, FiguresDraft& out) {
  if (node.kind != Value::Kind::map || node.entries.empty())
    refuse_value(node, "at least one link by its name: {name: {joint: ..., shape: ..., mass: ...}}");
  for (const ValueEntry& entry : node.entries) {
    check_name(entry, "link");
    if (static_cast<int>(out.links.size()) >= most_links)
      refuse(entry.key_at, fmt::format("found more than {} links; expected fewer", most_links));
    out.links.push_back(read_link(*entry.value, figure, entry.key, entry.key_at, *out.solids));
  }
}

// A person's links, what is said of some of them besides, and links of the scene's own that hang on them.
void read_human(MapReader& map, const ValueEntry& entry, const std::string& figure, FiguresDraft& out) {
  const Value& human = map.need("human");
  HumanDraft person = read_person(human, map.get("links"));
  out.people.push_back(fmt::format("{}: {}", entry.key, person.provenance));
  out.kept.push_back(person.links);
  const std::size_t begin = out.links.size();
  read_links(*person.links, figure, out);
  for (std::size_t i = begin; i < out.links.size(); ++i) {
    LinkDraft& link = out.links[i];
    const auto found = person.limits.find(link.spec.name.substr(figure.size() + 1));
    if (found != person.limits.end()) link.limits = found->second;
  }
}

// The links of a figure that stands once.
void read_body(MapReader& map, const ValueEntry& entry, const std::string& figure, FiguresDraft& out) {
  if (map.has("human")) {
    map.one_of({"human", "chain"});
    return read_human(map, entry, figure, out);
  }
  const std::string form = map.one_of({"links", "chain"});
  if (form.empty()) refuse(entry.value->at, "found a figure without links; expected 'links', 'chain' or 'human'");
  if (form == "links")
    read_links(map.need("links"), figure, out);
  else
    read_chain(map.need("chain"), figure, entry.key_at, out);
}

void put_in_world(std::span<LinkDraft> links, const Transform<double>& X_WG) {
  for (LinkDraft& link : links)
    if (link.spec.parent == "world") link.spec.X_PF = X_WG * link.spec.X_PF;
}

// A copy may have the name of another figure, and a body that of a figure.
void take_name(const std::string& name, const Place& at, FiguresDraft& out) {
  if (!out.names.insert(name).second)
    refuse(at,
           fmt::format("found '{}' a second time among figures, bodies and their copies; expected another name", name));
}

// ---------------------------------------------------------------------------------------------------------
// copies

// The same link in another figure of the same kind.
LinkDraft renamed(const LinkDraft& link, const std::string& figure) {
  LinkDraft out = link;
  const std::string prefix = link.figure + ".";
  const auto rename = [&](std::string& name) {
    if (name.starts_with(prefix)) name = figure + "." + name.substr(prefix.size());
  };
  out.figure = figure;
  rename(out.spec.name), rename(out.spec.parent);
  return out;
}

// What comes on top of how the roots start; refused where none can have it.
void add_motion(std::span<LinkDraft> links, const Copy& copy, const Value& copies) {
  const bool moves = norm_squared(copy.velocity) > 0, spins = norm_squared(copy.spin) > 0;
  bool all = false;
  for (LinkDraft& link : links) {
    const JointType joint = link.spec.joint;
    if (link.spec.parent != "world" || (joint != JointType::free && (spins || joint != JointType::point))) continue;
    link.velocity = copy.velocity, link.spin = copy.spin;
    all = true;
  }
  if ((moves || spins) && !all)
    refuse(copies.at, "found a velocity or spin by chance of a figure that the world holds; expected a free root");
}

// `read`: reads the links of one, FiguresDraft&.
template <class Read>
void read_copied(const ValueEntry& entry, const Value& copies, const Transform<double>& X_WG, FiguresDraft& out,
                 const Read& read) {
  FiguresDraft one(*out.solids);
  read(one);
  out.kept.insert(out.kept.end(), one.kept.begin(), one.kept.end());
  out.people.insert(out.people.end(), one.people.begin(), one.people.end());
  if (std::ranges::none_of(one.links, [](const LinkDraft& link) { return link.spec.parent == "world"; }))
    refuse(copies.at, "found copies of a figure that hangs on another; expected a figure that stands in the world");
  const auto room = (most_links - static_cast<long>(out.links.size())) / static_cast<long>(one.links.size());
  for (const Copy& copy : read_copies(copies, static_cast<int>(std::max(room, 1L)))) {
    const std::size_t begin = out.links.size();
    const std::string figure = entry.key + "-" + copy.name;
    take_name(figure, entry.key_at, out);
    for (const LinkDraft& link : one.links) out.links.push_back(renamed(link, figure));
    const std::span<LinkDraft> links = std::span(out.links).subspan(begin);
    put_in_world(links, X_WG * copy.X_GC);
    add_motion(links, copy, copies);
  }
}

template <class Read>
void put_once_or_copied(MapReader& map, const ValueEntry& entry, const Transform<double>& X_WG, FiguresDraft& out,
                        const Read& read) {
  if (const Value* copies = map.get("copies")) {
    if (map.has("script"))
      refuse(map.key_place("script"), "found a script of copies; expected it in a figure that stands once");
    return read_copied(entry, *copies, X_WG, out, read);
  }
  const std::size_t begin = out.links.size();
  take_name(entry.key, entry.key_at, out);
  read(out);
  put_in_world(std::span(out.links).subspan(begin), X_WG);
}

void read_figure(const ValueEntry& entry, FiguresDraft& out) {
  check_name(entry, "figure");
  MapReader map(*entry.value, key_table("figure"));
  const Transform<double> X_WG = read_pose(map);
  put_once_or_copied(map, entry, X_WG, out, [&](FiguresDraft& to) { read_body(map, entry, entry.key, to); });
  if (const Value* script = map.get("script")) out.scripts.push_back({entry.key, script});
}

// ---------------------------------------------------------------------------------------------------------
// loose bodies

// Its link, as it would be written in a figure: what is said of its start is said of the joint.
ValuePtr link_of_body(MapReader& map) {
  auto link = std::make_shared<Value>(map.node()), start = std::make_shared<Value>(map.node());
  const auto is_one_of = [](const ValueEntry& entry, std::initializer_list<const char*> keys) {
    return std::ranges::any_of(keys, [&](const char* key) { return entry.key == key; });
  };
  std::erase_if(link->entries, [&](const ValueEntry& e) {
    return is_one_of(e, {"at", "copies", "turned", "velocity", "spin"});
  });
  std::erase_if(start->entries, [&](const ValueEntry& e) { return !is_one_of(e, {"turned", "velocity", "spin"}); });
  for (const ValueEntry& entry : map.node().entries) map.get(entry.key);
  if (!start->entries.empty()) link->entries.push_back({"start", map.node().at, start});
  return link;
}

void read_loose_body(const ValueEntry& entry, FiguresDraft& out) {
  check_name(entry, "body");
  MapReader map(*entry.value, key_table("body"));
  Transform<double> X_WG;
  if (const Value* at = map.get("at")) X_WG.p = read_vector(*at, kinds::length);
  const ValuePtr link = link_of_body(map);
  out.kept.push_back(link);
  put_once_or_copied(map, entry, X_WG, out, [&](FiguresDraft& to) {
    if (static_cast<int>(to.links.size()) >= most_links)
      refuse(entry.key_at, fmt::format("found more than {} links; expected fewer", most_links));
    to.links.push_back(read_link(*link, entry.key, "body", entry.key_at, *to.solids));
  });
}

// Unknown parents are found here rather than by freeze(), to point at the word and offer the nearest.
void check_parents(const FiguresDraft& draft) {
  std::unordered_set<std::string> names{"world"};
  for (const LinkDraft& link : draft.links) names.insert(link.spec.name);
  for (const LinkDraft& link : draft.links) {
    if (names.count(link.spec.parent)) continue;
    std::vector<std::string> candidates;
    const std::string prefix = link.figure + ".";
    for (const LinkDraft& other : draft.links)
      if (other.spec.name != link.spec.name)
        candidates.push_back(other.figure == link.figure ? other.spec.name.substr(prefix.size()) : other.spec.name);
    std::string word = link.spec.parent;
    if (word.rfind(prefix, 0) == 0) word = word.substr(prefix.size());
    refuse(link.parent_at,
           fmt::format("found the unknown parent '{}' of '{}';{} expected a link of the figure, figure.link, or "
                       "world",
                       printable(word), link.spec.name, did_you_mean(word, candidates)));
  }
}

// ----------------------------------------------------------------------------------------------------------
// start
}  // namespace

ValuePtr merged(const Value& base, const Value* over) {
  auto node = std::make_shared<Value>(base);
  if (!over) return node;
  if (over->kind != Value::Kind::map) refuse_value(*over, "a map of a link's keys");
  node->at = over->at;
  for (const ValueEntry& entry : over->entries) {
    const auto same = std::find_if(node->entries.begin(), node->entries.end(),
                                   [&](const ValueEntry& e) { return e.key == entry.key; });
    if (same == node->entries.end())
      node->entries.push_back(entry);
    else
      *same = entry;
  }
  return node;
}

void check_name(const ValueEntry& entry, const char* what) {
  const std::string& s = entry.key;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  };
  const auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  constexpr std::size_t longest = 100;
  if (s.size() > longest)
    refuse(entry.key_at,
           fmt::format("found a name of {} letters for a {}; expected at most {}", s.size(), what, longest));
  if (s.empty() || !letter(s[0]) || !std::all_of(s.begin(), s.end(), allowed))
    refuse(entry.key_at,
           fmt::format("found '{}' as the name of a {}; expected letters, digits, _ and -, a letter first",
                       printable(s), what));
  if (s == "world") refuse(entry.key_at, fmt::format("found a {} called 'world'; expected another name", what));
}

FiguresDraft read_figures(const Value* figures, const Value* bodies, SolidReader& solids) {
  FiguresDraft draft(solids);
  const auto read_all = [&](const Value* node, const char* expected, auto read) {
    if (node == nullptr) return;
    if (node->kind != Value::Kind::map || node->entries.empty()) refuse_value(*node, expected);
    for (const ValueEntry& entry : node->entries) read(entry, draft);
  };
  read_all(figures, "at least one figure by its name: {name: {links: {...}}}", read_figure);
  read_all(bodies, "at least one body by its name: {name: {shape: {...}}}", read_loose_body);
  check_parents(draft);
  split_off_tissues(draft);
  return draft;
}

std::string note_of_default_density(const FiguresDraft& draft) {
  constexpr std::size_t listed = 4;
  std::vector<std::string> names;
  for (const LinkDraft& link : draft.links)
    if (link.default_density) names.push_back(link.spec.name);
  if (names.empty()) return {};
  const std::size_t more = names.size() > listed + 1 ? names.size() - listed : 0;
  if (more > 0) names.resize(listed);
  return fmt::format("shapes without mass or density have that of water, {:g} kg/m^3: of {}{}", default_density,
                     fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more links", more) : "");
}

Model freeze_figures(const FiguresDraft& draft, const Vec3<double>& gravity, const Place& figures) {
  ModelSpec spec;
  spec.gravity = gravity;
  for (const LinkDraft& link : draft.links) spec.links.push_back(link.spec);
  try {
    return freeze(spec);
  } catch (const InvalidSpec& e) {
    Place at = figures;
    for (const LinkDraft& link : draft.links)
      if (link.spec.name == e.link()) at = link.spec.inertia.m == 0 ? link.mass_at : link.at;
    refuse(at, fmt::format("found '{}': {}; expected a figure that can exist", e.link(), e.reason()));
  }
}

// What chance adds to the start of a root.
static void add_to_start(const LinkDraft& link, const LinkTopology& topology, State& state) {
  const Mat3<double> R_WF = link.spec.X_PF.R;
  const auto add = [&](int at, const Vec3<double>& x) {
    for (int k = 0; k < 3; ++k) state.v[static_cast<std::size_t>(at + k)] += x[k];
  };
  const bool turns = topology.joint == JointType::free;
  if (turns) {
    const double* q = state.q.data() + topology.q;
    const Mat3<double> R_FB = rotation(Quaternion<double>{q[0], q[1], q[2], q[3]});
    add(topology.v, transpose_times(R_FB, transpose_times(R_WF, link.spin)));
  }
  add(topology.v + (turns ? 3 : 0), transpose_times(R_WF, link.velocity));
}

State read_start(const FiguresDraft& draft, const Model& model) {
  State state = neutral_state(model);
  std::unordered_map<std::string, int> index;
  for (int i = 0; i < model.nlink(); ++i) index[model.names[static_cast<std::size_t>(i)]] = i;
  for (const LinkDraft& link : draft.links) {
    const bool varied = norm_squared(link.velocity) > 0 || norm_squared(link.spin) > 0;
    if (!link.start && !link.particle && !varied) continue;
    const LinkTopology& topology = model.links[static_cast<std::size_t>(index.at(link.spec.name))];
    if (link.particle) {
      const auto& [p, v] = *link.particle;
      if (topology.joint != JointType::point) continue;  // held in place
      put(state.q, topology.q, {p.x, p.y, p.z});
      put(state.v, topology.v, {v.x, v.y, v.z});
      continue;
    }
    if (link.start) read_joint_start(*link.start, topology, freedoms_of(model, index.at(link.spec.name)), state);
    if (varied) add_to_start(link, topology, state);
  }
  std::vector<TissuePlace> tissues;
  for (const TissueDraft& t : draft.tissues)
    tissues.push_back(
        {index.at(draft.links[t.link].spec.name), index.at(draft.links[t.tissue].spec.name), t.spring.center_B});
  put_at_rest(model, tissues, state);
  return state;
}

}  // namespace marey

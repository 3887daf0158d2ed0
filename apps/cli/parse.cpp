// The command line, read by CLI11; for unknown commands and options the nearest known one is suggested.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "commands.h"
#include "marey/core/text.h"

namespace marey::cli {

namespace {

constexpr int bad_input = static_cast<int>(ExitCode::bad_input);

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = closest(word.substr(0, word.find('=')), known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

int complain(const std::string& text, const std::string& help) {
  fmt::print(stderr, "marey: {}\nTry '{} --help'.\n", text, help);
  return bad_input;
}

// CLI11 lists unexpected arguments in reverse; the first of them is the one to report.
int complain_of_extras(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen[0];
  const std::string help = chosen.empty() ? "marey" : "marey " + command.get_name();
  const std::vector<std::string> extras = command.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  if (word.starts_with("-"))
    return complain(fmt::format("unknown option '{}'{}", word, suggestion(word, option_names(command))), help);
  const bool is_output = command.get_option_no_throw("--output") != nullptr && word.find('.') != std::string::npos;
  return complain(
      fmt::format("'{}' is one argument too many{}", word, is_output ? "; to write to it say -o " + word : ""), help);
}

// An empty word where a value belongs is most often a script variable that was never set. What follows the name of a
// benchmark is the benchmark's own business.
std::optional<std::string> find_empty(const CLI::App& app, int argc, char** argv) {
  const auto chosen = app.get_subcommands([&](const CLI::App* command) { return command->get_name() == argv[1]; });
  if (chosen.empty() || chosen[0]->get_name() == "bench") return std::nullopt;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i], before = argv[i - 1];
    if (word.starts_with("--") && word.ends_with("=")) return word.substr(0, word.size() - 1);
    if (!word.empty()) continue;
    const CLI::Option* option = before.starts_with("-") ? chosen[0]->get_option_no_throw(before) : nullptr;
    return option && option->get_items_expected_max() > 0 ? before : "";
  }
  return std::nullopt;
}

int complain_of(const CLI::ParseError& error, const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  // An option that does not exist comes before an argument that is missing: it may be why it is missing.
  if (!chosen.empty() &&
      std::ranges::any_of(chosen[0]->remaining(true), [](const auto& w) { return w.starts_with("-"); }))
    return complain_of_extras(app);
  const std::string help = chosen.empty() ? "marey" : "marey " + chosen[0]->get_name();
  std::string text = error.what();
  // Names what lacks its value, whereas CLI11 counts arguments: "--output: 1 required RUN.h5 missing".
  if (const std::size_t colon = text.find(": 1 required"); colon != std::string::npos)
    text = text.substr(0, colon) + ": found no value; expected one after it";
  return complain(text, help);
}

}  // namespace

int parse(CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> commands = command_names(app);
  if (argc < 2) {
    fmt::print("{}", app.help());
    return bad_input;
  }
  const std::string first = argv[1];
  if (!first.starts_with("-") && std::ranges::find(commands, first) == commands.end())
    return complain(fmt::format("unknown command '{}'{}", first, suggestion(first, commands)), "marey");
  if (const auto empty = find_empty(app, argc, argv))
    return complain(empty->empty() ? "an argument is empty" : *empty + ": its value is empty", "marey " + first);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& call) {
    return app.exit(call);
  } catch (const CLI::CallForAllHelp& call) {
    return app.exit(call);
  } catch (const CLI::CallForVersion& call) {
    return app.exit(call);
  } catch (const CLI::ExtrasError&) {
    return complain_of_extras(app);
  } catch (const CLI::ParseError& error) {
    return complain_of(error, app);
  }
  return app.get_subcommands().empty() ? complain("no command was given", "marey") : go_on;
}

}  // namespace marey::cli

// The command line, read by CLI11; unknown commands and options get the nearest known one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "commands.h"
#include "core/text.h"

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

// CLI11 lists what nobody expected, in reverse; the first of them is the one to speak about.
int complain_of_extras(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen[0];
  const std::string help = chosen.empty() ? "marey" : "marey " + command.get_name();
  const std::vector<std::string> extras = command.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  if (word.starts_with("-"))
    return complain(fmt::format("unknown option '{}'{}", word, suggestion(word, option_names(command))), help);
  return complain(fmt::format("'{}' is one argument too many", word), help);
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
    const auto chosen = app.get_subcommands();
    return complain(error.what(), chosen.empty() ? "marey" : "marey " + chosen[0]->get_name());
  }
  return app.get_subcommands().empty() ? complain("no command was given", "marey") : go_on;
}

}  // namespace marey::cli

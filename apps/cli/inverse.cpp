// marey inverse: the joint forces that a motion requires.
#include "marey/io/inverse.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "scenes.h"

namespace marey::cli {

namespace {

struct InverseArguments {
  std::string motion, output = "-";
  std::vector<std::string> channels;
  bool differentiate = false, without_contacts = false, without_constraints = false, without_pushes = false,
       force = false;
};

ExitCode invert(const InverseArguments& a) {
  std::error_code error;
  if (std::filesystem::equivalent(a.motion, a.output, error))
    throw Error(ErrorKind::bad_input, "the table would replace the motion it is made from; choose another output");
  const InverseOptions options{a.differentiate, !a.without_contacts, !a.without_constraints, !a.without_pushes};
  ConstraintForces constraints = ConstraintForces::none;
  const auto invert_motion = [&] {
    const Motion motion = read_motion(find_motion(a.motion));
    constraints = constraint_forces_of(motion);
    return inverse_dynamics(motion, options);
  };
  export_csv(invert_motion, a.output, a.channels, a.force ? Existing::replace : Existing::refuse);
  if (constraints == ConstraintForces::points_missing)
    fmt::print(stderr,
               "marey: note: the motion does not say where its constraints acted; what they did is counted among the "
               "forces of its joints. 'run' its scene again to have it apart\n");
  if (a.output != "-") fmt::print("{}\n", a.output);
  return ExitCode::done;
}

}  // namespace

void add_inverse(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("inverse", "Find the joint forces that a motion needs");
  auto a = std::make_shared<InverseArguments>();
  command->add_option("RUN.h5", a->motion, "A motion")->required();
  command->add_option("-o,--output", a->output, "Where to write; '-' (the default) is standard output")
      ->type_name("FILE.csv");
  command->add_option("--channels", a->channels, "Channels, groups of them, or patterns; by default all")
      ->delimiter(',')
      ->type_name("NAME,…");
  command->add_flag("--differentiate", a->differentiate, "Use only the poses, differentiated over five frames");
  command->add_flag("--without-contacts", a->without_contacts, "Leave recorded contact forces to the roots");
  command->add_flag("--without-constraints", a->without_constraints,
                    "Leave recorded forces of loops, rods and other constraints to the joints");
  command->add_flag("--without-pushes", a->without_pushes, "Leave recorded pushes, spikes and holds to the joints");
  command->add_flag("--force", a->force, "Replace an existing output");
  command->footer(
      "Example:\n  marey inverse out/tumbling-human.h5 -o torques.csv --channels 'joint/*/torque,root'\n\n"
      "For every joint: torque (in its own degrees of freedom), force and moment through it; for every root what the\n"
      "world must provide. Time is always the first column.");
  command->callback([a, &job] { job = [a] { return invert(*a); }; });
}

}  // namespace marey::cli

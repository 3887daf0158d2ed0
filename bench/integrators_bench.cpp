// marey bench integrators: what an error costs, by method, scene and engine.
//
//   bench_integrators [--json] [--quick] [--only precision|pendulum|stiff|reuse] [--figures FOLDER]
//
// Scenes are those of bench/scenes and gallery. One thread; times are thread CPU time, the shortest of a few runs; the
// ledger is kept in all of Marey's runs. Other engines run in processes of their own, with their own integrators. With
// --figures one diagram for each scene is drawn (SVG, by gnuplot).
#include <cstring>

#include "integrators/parts.h"

namespace marey::bench {
namespace {

bool is_part(const std::string& name) {
  return name == "precision" || name == "pendulum" || name == "stiff" || name == "reuse";
}

// False: an option that makes no sense.
bool read_options(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json") continue;
    if (option == "--quick")
      settings.quick = true;
    else if (option == "--only" && i + 1 < argc && is_part(argv[i + 1]))
      settings.only = argv[++i];
    else if (option == "--figures" && i + 1 < argc)
      settings.figures = argv[++i];
    else {
      fmt::print(stderr, "marey bench integrators: found '{}'\n",
                 option == "--only" && i + 1 < argc ? argv[i + 1] : argv[i]);
      return false;
    }
  }
  return true;
}

int run_benchmark(int argc, char** argv) {
  Settings settings;
  if (!read_options(argc, argv, settings)) {
    fmt::print(stderr,
               "usage: marey bench integrators [--json] [--quick] [--only precision|pendulum|stiff|reuse] [--figures "
               "FOLDER]\n");
    return status_of(ErrorKind::bad_input);
  }
  Report report(argc, argv, true);
  if (settings.wants("precision")) work_and_precision(settings, report);
  if (settings.wants("pendulum")) long_pendulum(settings, report);
  if (settings.wants("stiff")) stiff_ground(settings, report);
  if (settings.wants("reuse")) reused_factors(settings, report);
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run_benchmark, argc, argv); }

// marey bench costs: what using and changing Marey costs a developer: compiling a client of one public header, starting
// the program.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "report.h"

namespace marey::bench {
namespace {

double wall_seconds(const std::string& command) {
  double best = 1e300;
  for (int r = 0; r < 3; ++r) {
    const auto start = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) return std::nan("");
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

int run_benchmark(int argc, char** argv) {
  Report report(argc, argv);
  report.title("Costs for a person; wall time, the best of three");
  const auto folder = std::filesystem::temp_directory_path() / "marey-costs";
  std::filesystem::create_directories(folder);
  for (const char* header : {"spatial.h", "model.h", "dynamics.h", "force.h", "sim.h", "io/scene.h"}) {
    const std::string client = folder / "client.cpp";
    std::ofstream(client) << "#include \"marey/" << header << "\"\nint main() { return 0; }\n";
    report.row("client", header, "compile time, -O2",
               wall_seconds(fmt::format("c++ -std=c++20 -O2 -I'{}/include' -c '{}' -o '{}/client.o'", MAREY_SOURCE_DIR,
                                        client, folder.string())),
               "s (goal < 2)");
  }
  {
    const std::string client = folder / "client.cpp";
    std::ofstream(client) << "#include \"marey/dynamics.h\"\n"
                             "void f(const marey::Model& m, const marey::State& s, marey::AbaWorkspace<double>& ws,\n"
                             "       std::span<double> out) {\n"
                             "  marey::aba<double>(m, m.params, s.q, s.v, {}, ws, out);\n}\n";
    report.row("client", "a call of aba<double>", "compile time, -O2",
               wall_seconds(fmt::format("c++ -std=c++20 -O2 -I'{}/include' -c '{}' -o '{}/client.o'", MAREY_SOURCE_DIR,
                                        client, folder.string())),
               "s (goal < 2)");
  }
  report.row("program", "./marey list", "start to end",
             wall_seconds(fmt::format("'{}/marey' list > /dev/null", MAREY_SOURCE_DIR)), "s");
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::run_benchmark(argc, argv); }

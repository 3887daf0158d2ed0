// Ctrl-C, a polite kill, a closed terminal: asked for once, the run finishes its file; twice, the program ends.
#pragma once

namespace marey::cli {

void watch_for_interrupts();
bool interrupted();

}  // namespace marey::cli

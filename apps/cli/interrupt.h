// Ctrl-C, a polite kill, a closed terminal: the first time, the run finishes its file; the second time, the program
// ends.
#pragma once

namespace marey::cli {

void watch_for_interrupts();
bool interrupted();

}  // namespace marey::cli

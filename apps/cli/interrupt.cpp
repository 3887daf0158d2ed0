#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace marey::cli {

namespace {
volatile std::sig_atomic_t asked_to_stop = 0;
void note(int) { asked_to_stop = 1; }
}  // namespace

void watch_for_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // A program started with signals ignored (nohup, in the background of a script) leaves them ignored.
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

bool interrupted() { return asked_to_stop != 0; }

}  // namespace marey::cli

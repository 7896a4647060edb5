/* A service in C whose segment others may truncate. It has a handler of SIGBUS of its own,
 * installed after the library's.
 *
 * usage: truncated_service on|off
 *
 * Logs until standard input ends, then prints what it has logged and lost.
 */

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libagent/include/ringside/ringside.h"

static volatile sig_atomic_t g_faults;

static void on_sigbus(int number, siginfo_t* info, void* context) {
  (void)context;
  ++g_faults;
  if (rs_handle_sigbus(info)) return;
  signal(number, SIG_DFL);
}

static int input_ended(void) {
  struct pollfd input = {STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) != 0;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  struct rs_options options;
  memset(&options, 0, sizeof options);
  options.struct_bytes = sizeof options;
  options.mode = 0660;
  options.overflow = RS_OVERFLOW_DROP;
  options.truncation_guard =
      strcmp(argv[1], "on") == 0 ? RS_TRUNCATION_GUARD_ON : RS_TRUNCATION_GUARD_OFF;
  if (!rs_init_with(&options)) return 1;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, NULL);
  uint64_t logged = 0;
  while (!input_ended()) {
    for (int i = 0; i < 5; ++i) RS_INFO("record %" PRIu64 " of %s", ++logged, "a service in C");
    usleep(1000);
  }
  printf("logged=%" PRIu64 " lost=%" PRIu64 " lost.6=%" PRIu64 " faults=%d\n", logged,
         rs_losses(RS_LOSS_ANY), rs_losses(RS_LOSS_NO_SHARED_MEMORY), (int)g_faults);
  return 0;
}

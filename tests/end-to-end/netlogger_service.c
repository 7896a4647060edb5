/* Writes NetLogger events, by statements and with a handle.
 *
 * usage: netlogger_service EVENTS
 */

#include <stdio.h>
#include <stdlib.h>

#include "libagent/include/ringside/netlogger.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int events = atoi(argv[1]);
  struct rs_netlogger* const handle = rs_netlogger_open();
  for (int i = 0; i < events; ++i) {
    char text[32];
    snprintf(text, sizeof text, "value %d", i);
    RS_NETLOGGER_WRITE("statement.event", "Const1=3 Const2=Hello", "Var1=%d Var2=%f Var3=%s", i,
                       i + 0.25, text);
    rs_netlogger_write(handle, i % 2 == 0 ? "even" : "odd", "Ratio=0.5 Text=\"two words\"",
                       "Var1=%ld", -1L - i);
  }
  RS_NETLOGGER_WRITE("failed", "LVL=Error", "Var1=%d", events);
  rs_netlogger_write(handle, "skipped", "LVL=Debug", "Var1=%d", events);
  rs_netlogger_close(handle);
  return rs_losses(RS_LOSS_ANY) == 0 ? 0 : 1;
}

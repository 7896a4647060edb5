/* NetLogger calls in C. */
#include "tests/agent/netlogger_statements.h"

#include "libagent/include/ringside/netlogger.h"

void c_netlogger_write(int a, double b, const char* c) {
  RS_NETLOGGER_WRITE("c.event", "Const1=3 Const2=Hello", "Var1=%d Var2=%f Var3=%s", a, b, c);
}

void c_netlogger_error(int number) {
  RS_NETLOGGER_WRITE("c.error", "Const1=3 LVL=Error", "Var1=%d", number);
}

void c_netlogger_handle_write(struct rs_netlogger* handle, int a, double b, const char* c) {
  rs_netlogger_write(handle, "c.event", "Const1=3 Const2=Hello", "Var1=%d Var2=%f Var3=%s", a, b,
                     c);
}

void c_netlogger_without_texts(void) {
  RS_NETLOGGER_WRITE("c.bare", "", "");
}

void c_netlogger_malformed(int value) {
  RS_NETLOGGER_WRITE("c.malformed", "no pair", "Value=%d", value);
  RS_NETLOGGER_WRITE("c.malformed", "", "Value=%d,", value);
  RS_NETLOGGER_WRITE("", "", "Value=%d", value);
}

void c_netlogger_never_called(int value) {
  RS_NETLOGGER_WRITE("c.never", "", "Value=%d", value);
}

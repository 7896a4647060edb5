#ifndef RINGSIDE_TESTS_AGENT_NETLOGGER_STATEMENTS_H
#define RINGSIDE_TESTS_AGENT_NETLOGGER_STATEMENTS_H

struct rs_netlogger;

#ifdef __cplusplus
extern "C" {
#endif

void c_netlogger_write(int a, double b, const char* c);
void c_netlogger_error(int number);
void c_netlogger_handle_write(struct rs_netlogger* handle, int a, double b, const char* c);
void c_netlogger_without_texts(void);
void c_netlogger_malformed(int value);
void c_netlogger_never_called(int value);

#ifdef __cplusplus
}
#endif

#endif

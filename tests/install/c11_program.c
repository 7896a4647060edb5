/* A C11 program as written by a user of the installed library. */
#include <ringside/event.h>
#include <ringside/ringside.h>
#include <ringside/runtime_statement.h>

int main(void) {
  const unsigned id = 7;
  const char* const venue = "XETR";
  RS_INFO("C11 order %u filled at %.2f on %s", id, 101.25, venue);
  RS_EVENT(INFO, "order.fill", RS_ARG(id), RS_NAMED("venue", "XETR"));
  const uint8_t types[] = {RS_VALUE_U32};
  const struct rs_runtime_statement statement = {.struct_bytes = sizeof statement,
                                                 .level = RS_LEVEL_INFO,
                                                 .style = RS_FORMAT_BRACE,
                                                 .format = "order {} closed",
                                                 .format_bytes = 15,
                                                 .types = types,
                                                 .type_count = 1};
  const struct rs_value value = {.type = RS_VALUE_U32, .integer = id};
  return rs_statement_record(rs_statement_register(&statement), &value, 1) == 1 ? 0 : 1;
}

/* tests/agent/plugin.cpp in C. */
#include "libagent/include/ringside/ringside.h"

RS_EXPORT void c_plugin_log(int number);
RS_EXPORT void c_plugin_log(int number) {
  RS_INFO("C plug-in %d", number);
}

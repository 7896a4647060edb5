// A shared library with statements, to be loaded and unloaded.

#include "libagent/include/ringside/ringside.hpp"

extern "C" RS_EXPORT void plugin_log(int number) {
  RS_INFO("plug-in %d", number);
}
extern "C" RS_EXPORT void plugin_unused(int number) {
  RS_DEBUG("plug-in, unused %d", number);
}

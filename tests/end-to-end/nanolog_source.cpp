// A source written for NanoLog. `// LEVEL| TEXT` is the record of the next line; the test reads
// it.

#include <NanoLogCpp17.h>
#include <cstdint>
#include <cstdio>
#include <string>

using namespace NanoLog::LogLevels;

namespace {

#define ORDERS 3
constexpr char kFormat[] = "constant format %d";

template <class T>
void log_value(T value) {
  // NOTICE| value 7
  NANO_LOG(NOTICE, "value %ld", static_cast<long>(value));
}

void log_levels() {
  // ERROR| error
  NANO_LOG(ERROR, "error");
  // WARNING| warning
  NANO_LOG(WARNING, "warning");
  // NOTICE| notice
  NANO_LOG(NOTICE, "notice");
}

}  // namespace

int main() {
  NanoLog::setLogFile("/nonexistent/log");
  NanoLog::setLogFile("/nonexistent/log");
  NanoLog::preallocate();
  const NanoLog::LogLevels::LogLevel first = NanoLog::getLogLevel();
  int evaluated = 0;
  NANO_LOG(DEBUG, "below the first level %d", ++evaluated);
  log_levels();
  NanoLog::setLogLevel(DEBUG);
  // DEBUG| debug 1
  NANO_LOG(DEBUG, "debug %d", ++evaluated);
  NanoLog::setLogLevel(SILENT_LOG_LEVEL);
  NANO_LOG(ERROR, "silent %d", ++evaluated);
  NanoLog::setLogLevel(NUM_LOG_LEVELS);
  const NanoLog::LogLevels::LogLevel highest = NanoLog::getLogLevel();
  if (evaluated == 1)
    // NOTICE| branch
    NANO_LOG(NOTICE, "branch");
  else
    NANO_LOG(NOTICE, "another branch");
  const std::string name = "far out";
  const std::uint8_t small = 10;
  const void* const address = reinterpret_cast<void*>(1);
  // WARNING| 3 orders of far out
  NANO_LOG(WARNING, "%d orders of %s", ORDERS, name.c_str());
  // WARNING| limited far, 10% 0.50 0x1
  NANO_LOG(WARNING, "limited %.*s, %u%% %0.2lf %p", 3, name.c_str(), small, 0.5, address);
  // NOTICE| constant format 3
  NANO_LOG(NOTICE, kFormat, ORDERS);
  // NOTICE| all of far out
  NANO_LOG(NOTICE, "all of %.1000000s", name.c_str());
  log_value(std::int64_t{7});
  const int core = NanoLog::getCoreIdOfBackgroundThread();
  const std::string stats = NanoLog::getStats();
  NanoLog::printConfig();
  NanoLog::sync();
  std::printf("%d %d %d %zu\n", first == NOTICE, highest == DEBUG, core, stats.find("segment /"));
}

// Preloaded into a program: its wall clock is an hour slow while the file exists that
// RINGSIDE_TEST_CLOCK_IS_BEHIND names. The other clocks are unchanged.

#include <cstdlib>
#include <ctime>
#include <unistd.h>

#include <sys/syscall.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const char* const file = std::getenv("RINGSIDE_TEST_CLOCK_IS_BEHIND");
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_REALTIME && file != nullptr && access(file, F_OK) == 0) time->tv_sec -= 3600;
  return result;
}

#include "libagent/process/random_id.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include <sys/random.h>
#include <sys/syscall.h>

#include "libagent/include/ringside/activity.hpp"
#include "libagent/include/ringside/span_abi.h"
#include "libagent/include/ringside/trace_context.hpp"

namespace ringside {
namespace {

// splitmix64: each bit of the result depends on each bit of the number.
std::uint64_t spread_bits(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31);
}

template <class Id>
Id new_id() {
  Id id{};
  do {
    fill_random(id.data(), id.size());
  } while (id == Id{});
  return id;
}

// Of the calling thread's next open span; 0: it has none yet. From a random number on, so that the
// ids of two threads do not meet.
RS_THREAD_LOCAL std::uint64_t next_span_id __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

void fill_random(unsigned char* out, std::size_t bytes) {
  const int saved_errno = errno;
  // Without a wait for the entropy of the first second after boot.
  const ssize_t given = getrandom(out, bytes, GRND_NONBLOCK);
  errno = saved_errno;
  if (given == static_cast<ssize_t>(bytes)) return;
  static constinit std::atomic<std::uint64_t> calls{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::uint64_t state = spread_bits(static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                                    static_cast<std::uint64_t>(now.tv_nsec)) +
                        spread_bits(static_cast<std::uint64_t>(syscall(SYS_gettid))) +
                        spread_bits(calls.fetch_add(1, std::memory_order_relaxed));
  for (std::size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) state += 0x9E3779B97F4A7C15U;
    out[i] = static_cast<unsigned char>(spread_bits(state) >> (i % 8 * 8));
  }
}

ActivityId new_activity_id() noexcept {
  return new_id<ActivityId>();
}

SpanId new_span_id() noexcept {
  return new_id<SpanId>();
}

}  // namespace ringside

std::uint64_t rs_new_span_id() {
  std::uint64_t& next = ringside::next_span_id;
  while (next == 0) ringside::fill_random(reinterpret_cast<unsigned char*>(&next), sizeof next);
  return rs_fetch_add_local(&next, 1);
}

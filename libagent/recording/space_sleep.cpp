#include "libagent/recording/space_sleep.hpp"

#include <cerrno>
#include <ctime>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace ringside {
namespace {

constinit thread_local bool t_is_forbidden = false;

}  // namespace

bool may_sleep_on_word() {
  return !t_is_forbidden;
}

void sleep_on_word(std::atomic<std::uint32_t>* word, std::uint32_t value, std::uint64_t nap_ns) {
  const timespec time{0, static_cast<long>(nap_ns)};
  if (syscall(SYS_futex, word, FUTEX_WAIT, value, &time, nullptr, 0) == 0) return;
  // EFAULT: the segment was truncated, which the next check of the wait finds.
  const bool is_usual = errno == ETIMEDOUT || errno == EAGAIN || errno == EINTR || errno == EFAULT;
  if (!is_usual) t_is_forbidden = true;
}

}  // namespace ringside

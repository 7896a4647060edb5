#include "libagent/recording/agent.hpp"

#include <cstring>
#include <ctime>
#include <new>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "libagent/process/environment.hpp"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/standard_error.hpp"
#include "libagent/recording/fork_guard.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/segment_file.hpp"
#include "libagent/recording/signals_blocked.hpp"
#include "libagent/recording/statement_registry.hpp"
#include "libagent/recording/truncation_guard.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {
namespace {

pthread_mutex_t g_slow_path = PTHREAD_MUTEX_INITIALIZER;
constinit thread_local bool t_has_slow_path = false;

constexpr time_t kBoundSeconds = 2;

// The interval between attempts after a refusal, so that not every log call tries again.
constexpr std::uint64_t kSegmentRetryAfterNs = 1'000'000'000;

pid_t g_process_id = 0;

__attribute__((constructor(101))) void remember_process() {
  is_a_process_of_its_own();
}

}  // namespace

Agent& agent() {
  // Never destroyed: static destructors of the service may log after the library's destructors.
  alignas(Agent) static unsigned char storage[sizeof(Agent)];
  static Agent* const instance = new (storage) Agent;
  return *instance;
}

SlowPathLock::SlowPathLock(Wait wait) : is_first_(!is_held()) {
  static_assert(sizeof(sigset_t) <= sizeof saved_mask_);
  const sigset_t signals = signals_to_block();
  sigset_t saved;
  pthread_sigmask(SIG_SETMASK, &signals, &saved);
  std::memcpy(saved_mask_, &saved, sizeof saved);
  ReentryGuard::enter();
  if (!is_first_) return;
  if (wait == Wait::unlimited) {
    pthread_mutex_lock(&g_slow_path);
  } else {
    timespec end{};
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += kBoundSeconds;
    is_taken_ = pthread_mutex_timedlock(&g_slow_path, &end) == 0;
  }
  t_has_slow_path = is_taken_;
  // Perhaps another thread installed the handler of SIGBUS while this one waited with all signals
  // blocked.
  unblock_sigbus();
}

SlowPathLock::~SlowPathLock() {
  if (!is_first_ || !is_taken_ || unwritten_reports().empty()) {
    release();
  } else {
    release_and_write_reports();
  }
}

void SlowPathLock::release() {
  if (is_first_ && is_taken_) {
    t_has_slow_path = false;
    pthread_mutex_unlock(&g_slow_path);
  }
  ReentryGuard::leave();
  sigset_t saved;
  std::memcpy(&saved, saved_mask_, sizeof saved);
  pthread_sigmask(SIG_SETMASK, &saved, nullptr);
}

// A separate function, because it uses much stack.
[[gnu::noinline]] void SlowPathLock::release_and_write_reports() {
  const Reports reports = unwritten_reports();
  unwritten_reports().clear();
  release();
  write_to_standard_error(reports.text());
}

bool SlowPathLock::is_held() {
  return t_has_slow_path;
}

bool was_made_around_fork() {
  return g_process_id != 0 && getpid() != g_process_id;
}

void is_a_process_of_its_own() {
  g_process_id = getpid();
}

std::uint64_t monotonic_ns() {
  return shm::read_clock_ns(CLOCK_MONOTONIC);
}

bool ensure_segment(Agent& agent) {
  const State state = agent.state.load(std::memory_order_relaxed);
  if (state == State::live) return true;
  if (state == State::disabled || was_made_around_fork()) return false;
  if (state == State::failed &&
      monotonic_ns() < agent.retry_at_ns.load(std::memory_order_relaxed)) {
    return false;
  }
  const bool first_try = state == State::idle;
  if (first_try && !agent.options_are_final) {
    if (disabled_by_environment()) {
      agent.state.store(State::disabled, std::memory_order_relaxed);
      __atomic_store_n(&rs_initial_switch, shm::kSwitchOff, __ATOMIC_RELAXED);
      return false;
    }
    agent.options = apply_environment(agent.options);
    agent.huge_pages = huge_pages_by_environment();
    agent.options_are_final = true;  // a child of this process inherits the options in force
    agent.level.store(static_cast<std::uint8_t>(agent.options.level), std::memory_order_relaxed);
  }
  watch_forks();
  if (wants_truncation_guard(agent.options)) install_truncation_guard();
  std::unique_ptr<Segment> segment = create_segment(agent.options, &agent.message);
  if (segment == nullptr) {
    if (first_try && agent.former_segment == nullptr)
      report(agent.message + "; nothing is traced until this succeeds");
    agent.state.store(State::failed, std::memory_order_relaxed);
    agent.retry_at_ns.store(monotonic_ns() + kSegmentRetryAfterNs, std::memory_order_relaxed);
    return false;
  }
  agent.message.clear();
  Segment* const live = segment.release();
  agent.segment.store(live, std::memory_order_release);
  agent.state.store(State::live, std::memory_order_relaxed);
  book_refusals(agent);
  register_loaded_statements(agent);
  return true;
}

namespace {

// At a clean end of the process: a label for tools that read the segment before its consumer
// removes it. Destructors that run later may still log.
__attribute__((destructor)) void label_as_closed() {
  if (was_made_around_fork()) return;
  for (Segment* each = agent().segment.load(std::memory_order_acquire); each != nullptr;
       each = each->replaced) {
    each->header->state.store(static_cast<std::uint32_t>(shm::SegmentState::kClosed),
                              std::memory_order_relaxed);
  }
}

}  // namespace
}  // namespace ringside

std::uint8_t rs_initial_switch = ringside::shm::kSwitchUnregistered;

#include "libagent/recording/timed_checks.hpp"

#include <algorithm>

#include "libagent/process/local_word.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

thread_local std::uint64_t t_clock_record_due = 0;
thread_local std::uint64_t t_file_check_due = 0;
thread_local std::uint64_t t_processor_check_due = 0;
thread_local bool t_checks_file = true;

void set_clock_due() {
  __atomic_store_n(&rs_thread_state.clock_due,
                   std::min({t_clock_record_due, t_file_check_due, t_processor_check_due}),
                   __ATOMIC_RELAXED);
}

bool has_clock_record() {
  return load_local(rs_thread_state.clock_due) != 0;
}

void plan_file_check(std::uint64_t tsc, const Segment& segment) {
  const bool checks = t_checks_file && segment.look_interval_ticks != 0;
  t_file_check_due = checks ? tsc + segment.look_interval_ticks : UINT64_MAX;
}

}  // namespace

void plan_after_clock_record(std::uint64_t tsc, const Segment& segment) {
  t_clock_record_due = tsc + shm::kClockIntervalTicks;
  if (segment.processor_interval_ticks == Segment::kNoInterval) t_processor_check_due = UINT64_MAX;
  plan_file_check(tsc, segment);
  set_clock_due();
}

bool is_clock_record_due(std::uint64_t tsc) {
  return tsc > t_clock_record_due;
}

bool take_file_check(std::uint64_t tsc, const Segment& segment) {
  if (!has_clock_record() || tsc <= t_file_check_due) return false;
  plan_file_check(tsc, segment);
  set_clock_due();
  return true;
}

void stop_file_checks() {
  t_checks_file = false;
  t_file_check_due = UINT64_MAX;
  if (has_clock_record()) set_clock_due();
}

void plan_after_processor_check(std::uint64_t tsc, const Segment& segment) {
  t_processor_check_due = tsc + segment.processor_interval_ticks;
  if (has_clock_record()) set_clock_due();
}

}  // namespace ringside

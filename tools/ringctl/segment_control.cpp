#include "tools/ringctl/segment_control.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fcntl.h>
#include <thread>

#include <fmt/format.h>

#include "shm-layout/abi_version.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/tick_time.hpp"
#include "tools/live/segment_file_lock.hpp"
#include "tools/ringctl/change_author.hpp"
#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

constexpr auto kLockPause = std::chrono::milliseconds(1);
constexpr auto kLockPatience = std::chrono::seconds(2);

// Offset of `member` of `line` in the control page.
#define RINGSIDE_CONTROL(line, Line, member) \
  (offsetof(shm::ControlPage, line) + offsetof(shm::Line, member))

std::uint64_t request_offset(SegmentControl::Request what) {
  switch (what) {
    case SegmentControl::Request::kFlush:
      return RINGSIDE_CONTROL(tool_requests, ToolRequests, flush);
    case SegmentControl::Request::kDurableFlush:
      return RINGSIDE_CONTROL(tool_requests, ToolRequests, durable_flush);
    case SegmentControl::Request::kRotation:
      break;
  }
  return RINGSIDE_CONTROL(tool_requests, ToolRequests, rotation);
}

std::uint64_t answer_offset(SegmentControl::Request what) {
  switch (what) {
    case SegmentControl::Request::kFlush:
      return RINGSIDE_CONTROL(tool_answers, ToolAnswers, flush);
    case SegmentControl::Request::kDurableFlush:
      return RINGSIDE_CONTROL(tool_answers, ToolAnswers, durable_flush);
    case SegmentControl::Request::kRotation:
      break;
  }
  return RINGSIDE_CONTROL(tool_answers, ToolAnswers, rotation);
}

}  // namespace

std::unique_ptr<SegmentControl> SegmentControl::open(const std::string& path, std::string* why) {
  std::unique_ptr<WritableSegment> segment = WritableSegment::open(path, why);
  if (segment == nullptr) return nullptr;
  return std::unique_ptr<SegmentControl>(new SegmentControl(std::move(segment)));
}

bool SegmentControl::lock() {
  const auto deadline = std::chrono::steady_clock::now() + kLockPatience;
  for (;;) {
    struct flock lock = byte_lock(shm::kSwitchLockByte);
    if (fcntl(segment_->fd(), F_OFD_SETLK, &lock) == 0) return true;
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
      why_ = "cannot lock " + path() + ": " + error_text(errno);
      return false;
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      why_ = "another tool is changing " + path() + "; try again when it has finished";
      return false;
    }
    std::this_thread::sleep_for(kLockPause);
  }
}

void SegmentControl::unlock() {
  struct flock lock = byte_lock(shm::kSwitchLockByte);
  lock.l_type = F_UNLCK;
  fcntl(segment_->fd(), F_OFD_SETLK, &lock);
}

bool SegmentControl::announce_change() {
  const std::uint64_t page = control_offset_ + offsetof(shm::ControlPage, change_records);
  std::uint64_t count = 0;
  if (!read(page + offsetof(shm::ChangeRecords, count), &count, sizeof count)) return false;
  shm::ChangeRecord record = change_record(command_);
  record.number = count + 1;
  const std::uint64_t index = count % shm::kChangeRecords;
  return write(page + offsetof(shm::ChangeRecords, records) + index * sizeof record, &record,
               sizeof record) &&
         write(page + offsetof(shm::ChangeRecords, count), &record.number, sizeof record.number);
}

bool SegmentControl::read_level(std::uint32_t* word) {
  return read(control_offset_ + RINGSIDE_CONTROL(service, ServiceLine, level), word, sizeof *word);
}

bool SegmentControl::write_level(std::uint32_t word) {
  return write(control_offset_ + RINGSIDE_CONTROL(service, ServiceLine, level), &word, sizeof word);
}

bool SegmentControl::read_policy(shm::OverflowPolicy* policy, std::uint32_t* block_timeout_ms) {
  std::uint32_t word = 0;
  if (!read(control_offset_ + RINGSIDE_CONTROL(service, ServiceLine, overflow_policy), &word,
            sizeof word) ||
      !read(control_offset_ + RINGSIDE_CONTROL(service, ServiceLine, block_timeout_ms),
            block_timeout_ms, sizeof *block_timeout_ms)) {
    return false;
  }
  *policy = static_cast<shm::OverflowPolicy>(word);
  return true;
}

bool SegmentControl::write_policy(std::optional<shm::OverflowPolicy> policy,
                                  std::optional<std::uint32_t> block_timeout_ms) {
  if (block_timeout_ms &&
      !write(control_offset_ + RINGSIDE_CONTROL(service, ServiceLine, block_timeout_ms),
             &*block_timeout_ms, sizeof *block_timeout_ms)) {
    return false;
  }
  if (!policy) return true;
  const auto word = static_cast<std::uint32_t>(*policy);
  return write(control_offset_ + RINGSIDE_CONTROL(service, ServiceLine, overflow_policy), &word,
               sizeof word);
}

bool SegmentControl::read_switches(Switches* switches) {
  std::uint32_t count = 0;
  if (!read(control_offset_ + RINGSIDE_CONTROL(service, ServiceLine, site_count), &count,
            sizeof count)) {
    return false;
  }
  switches->resize(
      std::min<std::uint64_t>(std::uint64_t{count} + 1, segment_->layout().site_capacity));
  return read(segment_->layout().switches_offset, switches->data(), switches->size());
}

bool SegmentControl::write_switch(std::uint32_t site_id, std::uint8_t state) {
  if (site_id == 0 || site_id >= segment_->layout().site_capacity)
    return true;  // the dictionary is damaged
  return write(segment_->layout().switches_offset + site_id, &state, 1);
}

bool SegmentControl::read_sites_with_executions(std::uint32_t* sites) {
  return read(control_offset_ + RINGSIDE_CONTROL(losses, SegmentLosses, sites_with_executions),
              sites, sizeof *sites);
}

bool SegmentControl::records_stacks(bool* records) {
  constexpr std::uint32_t kFirstMinor = 11;
  std::uint32_t version = 0;
  if (!read(offsetof(shm::SegmentHeader, version), &version, sizeof version)) return false;
  *records = shm::abi_minor(version) >= kFirstMinor;
  return true;
}

bool SegmentControl::read_deadlines(shm::DeadlineCopy* deadlines) {
  return read(control_offset_ + offsetof(shm::ControlPage, switch_deadlines), deadlines->data(),
              sizeof *deadlines);
}

bool SegmentControl::write_deadline(std::uint32_t slot, std::uint64_t tsc) {
  return write(control_offset_ + offsetof(shm::ControlPage, switch_deadlines) + slot * sizeof tsc,
               &tsc, sizeof tsc);
}

std::optional<std::uint32_t> SegmentControl::take_deadline(std::uint64_t after_ns) {
  const std::uint64_t now_tsc = shm::read_tsc();
  std::optional<std::uint32_t> slot;
  if (!shm::take_deadline(*this, now_tsc, now_tsc + shm::ns_to_ticks(after_ns, segment_->tick_hz()),
                          &slot)) {
    return {};
  }
  if (!slot) {
    why_ = fmt::format(
        "{} changes with a time limit are active in {}, which is the maximum; wait until one "
        "expires, or revert one",
        shm::kSwitchDeadlineSlots, path());
  }
  return slot;
}

bool SegmentControl::request(Request what, std::uint64_t* number) {
  std::uint64_t asked = 0;
  if (!answered(what, number) ||
      !read(control_offset_ + request_offset(what), &asked, sizeof asked)) {
    return false;
  }
  // A request of another tool may be in progress: it does not cover records published since.
  *number = std::max(*number, asked) + 1;
  return write(control_offset_ + request_offset(what), number, sizeof *number);
}

bool SegmentControl::answered(Request what, std::uint64_t* number) {
  return read(control_offset_ + answer_offset(what), number, sizeof *number);
}

bool SegmentControl::refuses_durable_flush(bool* refuses) {
  std::uint64_t session = 0;
  std::uint32_t durable_session = 0;
  if (!read(control_offset_ + RINGSIDE_CONTROL(consumer, ConsumerLine, session), &session,
            sizeof session) ||
      !read(control_offset_ + RINGSIDE_CONTROL(tool_answers, ToolAnswers, durable_session),
            &durable_session, sizeof durable_session)) {
    return false;
  }
  *refuses = durable_session != static_cast<std::uint32_t>(session);
  return true;
}

bool SegmentControl::sync_failures(std::uint64_t* count) {
  return read(control_offset_ + RINGSIDE_CONTROL(tool_answers, ToolAnswers, sync_failures), count,
              sizeof *count);
}

}  // namespace ringside::tool

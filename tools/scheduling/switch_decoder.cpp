#include "tools/scheduling/switch_decoder.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <linux/perf_event.h>

namespace ringside::tool {
namespace {

// The end of each record: PERF_SAMPLE_TID, PERF_SAMPLE_TIME and PERF_SAMPLE_CPU of a sample.
struct SampleIdentity {
  std::uint32_t process_id;
  std::uint32_t thread_id;
  std::uint64_t time_ns;
  std::uint32_t processor;
  std::uint32_t reserved;
};
static_assert(sizeof(SampleIdentity) == 24);

// PERF_RECORD_FORK and PERF_RECORD_EXIT, after the header.
struct TaskBody {
  std::uint32_t process_id;
  std::uint32_t parent_process_id;
  std::uint32_t thread_id;
  std::uint32_t parent_thread_id;
  std::uint64_t time_ns;
};
static_assert(sizeof(TaskBody) == 24);

template <class Part>
bool take(std::span<const std::byte> bytes, std::size_t at, Part* part) {
  if (at > bytes.size() || bytes.size() - at < sizeof *part) return false;
  std::memcpy(part, bytes.data() + at, sizeof *part);
  return true;
}

}  // namespace

std::optional<SwitchRecord> decode_switch(std::span<const std::byte> record,
                                          std::uint32_t process_id) {
  perf_event_header header{};
  SampleIdentity identity{};
  if (record.size() < sizeof header + sizeof identity || !take(record, 0, &header) ||
      !take(record, record.size() - sizeof identity, &identity)) {
    return {};
  }
  // A child process inherits the events of its parent. What is lost belongs to any of them.
  if (identity.process_id != process_id && header.type != PERF_RECORD_LOST) return {};
  SwitchRecord decoded{.kind = SwitchKind::kIn,
                       .thread_id = identity.thread_id,
                       .processor = identity.processor,
                       .unix_ns = identity.time_ns,
                       .lost = 0,
                       .name = {}};
  const auto body = record.first(record.size() - sizeof identity);
  switch (header.type) {
    case PERF_RECORD_SWITCH:
      if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0) return decoded;
      decoded.kind = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0
                         ? SwitchKind::kPreempted
                         : SwitchKind::kWaited;
      return decoded;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: {
      TaskBody task{};
      if (!take(body, sizeof header, &task)) return {};
      const bool begins = header.type == PERF_RECORD_FORK;
      // A child process has threads of its own.
      if (begins && task.process_id != task.parent_process_id) return {};
      decoded.kind = begins ? SwitchKind::kBegan : SwitchKind::kEnded;
      decoded.thread_id = task.thread_id;
      return decoded;
    }
    case PERF_RECORD_COMM: {
      std::uint32_t ids[2];
      if (!take(body, sizeof header, &ids)) return {};
      const auto text = body.subspan(sizeof header + sizeof ids);
      const std::string_view padded(reinterpret_cast<const char*>(text.data()), text.size());
      decoded.kind = SwitchKind::kNamed;
      decoded.thread_id = ids[1];
      decoded.name = padded.substr(0, padded.find('\0'));
      return decoded;
    }
    case PERF_RECORD_LOST: {
      std::uint64_t id_and_lost[2];
      if (!take(body, sizeof header, &id_and_lost)) return {};
      decoded.kind = SwitchKind::kLost;
      decoded.lost = id_and_lost[1];
      return decoded;
    }
    default:
      return {};
  }
}

}  // namespace ringside::tool

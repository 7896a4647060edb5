#include "consumerd/session/consumer_entry.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <unistd.h>

namespace ringside::consumer {

void name_staging(AttachedSegment& segment, const StagingFile& staging) {
  std::uint8_t(&name)[16] = segment.control().consumer.staging_uuid;
  std::copy(staging.uuid().begin(), staging.uuid().end(), name);
}

void enter_segment(AttachedSegment& segment, const StagingFile& staging) {
  name_staging(segment, staging);
  shm::ConsumerLine& line = segment.control().consumer;
  line.pid.store(static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed);
  const std::uint64_t number = line.session.load(std::memory_order_relaxed) + 1;
  line.wide_session.store(static_cast<std::uint32_t>(number), std::memory_order_relaxed);
  segment.control().tool_answers.durable_session.store(static_cast<std::uint32_t>(number),
                                                       std::memory_order_relaxed);
  // Release: paired with the acquire in refuses_wide_sites() and refuses_durable_flush(), which
  // read the words above after it.
  line.session.store(number, std::memory_order_release);
}

void leave_segment(AttachedSegment& segment, bool between_turns) {
  std::uint8_t(&name)[16] = segment.control().consumer.staging_uuid;
  std::memset(name, 0, sizeof name);
  segment.publish_state(between_turns ? shm::ConsumerState::kBetweenTurns
                                      : shm::ConsumerState::kDetached);
}

void remove_segment(AttachedSegment& segment, bool service_ended, const Log& log) {
  if (segment.unlink_file()) return;
  log.error("cannot remove " + segment.path() + ": " + error_text(errno) +
                "; all its records are written, its owner can remove it; use a --shm-dir that is "
                "writable for the group and has no sticky bit",
            {{"segment", segment.name()}});
  // A service that seems killed may be a process that has only lost its lock, and still needs the
  // memory.
  if (service_ended && segment.service_has_closed()) segment.give_memory_back();
}

}  // namespace ringside::consumer

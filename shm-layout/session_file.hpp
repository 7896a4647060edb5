#pragma once
// Files of tracing sessions in the shared-memory directory. A session is an additional trace that a
// consumer writes from the same rings: `ringctl session start` requests it.
//
//   ringside-session.<name>                  the request: one JSON object, written by a tool
//   ringside-session.<name>.status           the answer: one JSON object, written by the consumer
//   ringside-session-cursors.<32 hex digits> the session's place in the rings of one segment
//
// The digits are the segment's uuid, each byte combined with that of the session by exclusive or.
// It is the uuid in the headers of the session's trace files too, which do not belong to the
// segment's main trace.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "segment_header.hpp"

namespace ringside::shm {

inline constexpr std::string_view kSessionPrefix = "ringside-session.";
inline constexpr std::string_view kSessionStatusSuffix = ".status";
inline constexpr std::string_view kSessionCursorPrefix = "ringside-session-cursors.";
inline constexpr std::size_t kMaxSessionNameBytes = 32;
inline constexpr std::size_t kMaxSessionRequestBytes = 64U << 10;

constexpr bool is_session_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxSessionNameBytes) return false;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    if (!plain) return false;
  }
  return true;
}

// The session's name; empty if `file` is not the name of a request.
constexpr std::string_view session_of_request(std::string_view file) {
  if (!file.starts_with(kSessionPrefix)) return {};
  file.remove_prefix(kSessionPrefix.size());
  return is_session_name(file) ? file : std::string_view();
}

// The same for the name of an answer.
constexpr std::string_view session_of_status(std::string_view file) {
  if (!file.ends_with(kSessionStatusSuffix)) return {};
  file.remove_suffix(kSessionStatusSuffix.size());
  return session_of_request(file);
}

using SessionUuid = std::array<std::uint8_t, 16>;

constexpr SessionUuid uuid_in_session(const std::uint8_t (&segment)[16],
                                      const SessionUuid& session) {
  SessionUuid both{};
  for (std::size_t i = 0; i < both.size(); ++i) {
    both[i] = static_cast<std::uint8_t>(segment[i] ^ session[i]);
  }
  return both;
}

// "RSCURSR1" in little-endian byte order.
inline constexpr std::uint64_t kSessionCursorMagic = 0x3152535255435352;
inline constexpr std::uint32_t kSessionCursorVersion = 1;

struct SessionCursorHeader {
  std::uint64_t magic;
  std::atomic<std::uint32_t> version;  // stored last
  std::uint32_t ring_count;
  std::uint8_t session_uuid[16];
  std::uint8_t segment_uuid[16];
  // The slot of SwitchDeadlines that sessions use in this segment, plus 1 (0: none), and the
  // deadline that they stored there: if the slot has another one, it is not theirs any more.
  std::uint64_t switch_slot;
  std::uint64_t switch_deadline_tsc;
  std::uint8_t reserved[kPageBytes - 64];
};

// What the session has taken from one ring. The consumer writes the copy that is not valid, and
// then the version: a reader after a crash finds one whole state. The staging slot that holds the
// bytes has the same state in its journal, so that a crash between both changes nothing.
struct SessionCursor {
  struct Copy {
    std::uint32_t generation;
    std::uint32_t reserved;
    std::uint64_t pos;            // everything before it was taken, left out, or counted
    std::uint64_t next_sequence;  // in the session's trace
    std::uint64_t last_tsc;
    std::uint64_t pending_drops;  // counted, but not reported in the trace yet
    std::uint64_t reserved2[2];
  };
  std::atomic<std::uint64_t> version;  // copy[version % 2] is valid; 0: nothing was stored yet
  std::uint64_t reserved;
  Copy copy[2];
};

constexpr std::uint64_t session_cursor_offset(std::uint32_t ring) {
  return kPageBytes + std::uint64_t{ring} * sizeof(SessionCursor);
}

static_assert(offsetof(SessionCursorHeader, version) == 8);
static_assert(offsetof(SessionCursorHeader, ring_count) == 12);
static_assert(offsetof(SessionCursorHeader, session_uuid) == 16);
static_assert(offsetof(SessionCursorHeader, segment_uuid) == 32);
static_assert(offsetof(SessionCursorHeader, switch_slot) == 48);
static_assert(offsetof(SessionCursorHeader, switch_deadline_tsc) == 56);
static_assert(sizeof(SessionCursorHeader) == kPageBytes);
static_assert(offsetof(SessionCursor, copy) == 16);
static_assert(sizeof(SessionCursor::Copy) == 56);
static_assert(sizeof(SessionCursor) == 128);

}  // namespace ringside::shm

#pragma once
/// @file
/// Activities, for C++17 and later: which spans of all threads, processes and hosts belong
/// together.

#include "required_platform.h"
// Before all others.
#include <array>
#include <cstdint>
#include <string.h>

#include "span_abi.h"

namespace ringside {

/// 128 bits, in the order of their hexadecimal digits; all zero: none. A `trace-id` of W3C.
using ActivityId = std::array<std::uint8_t, 16>;

/// In its scope, the spans of the calling thread have the activity.
///
///     const auto caller = ringside::parse_traceparent(header);
///     const ringside::Activity activity(caller ? caller->trace_id : ringside::new_activity_id());
///     RS_SPAN("handle_get", RS_ARG(key));
///
/// A span has the activity in whose scope it ends: declare the activity before the span. Scopes
/// nest; the innermost one counts. Tools show the ids as the properties `activity` and `related`,
/// and exporters as the trace of a span.
/// @par Thread safety
/// Belongs to the thread that creates it, and ends there. Costs no system call.
class Activity {
 public:
  /// `related`: another activity that it came from, if not zero. A zero `id`: the spans have none.
  explicit Activity(const ActivityId& id, const ActivityId& related = {}) noexcept
      : before_(rs_thread_activity) {
    rs_activity next{};
    if (id != ActivityId{}) {
      next.flags = RS_EXTENDED_ACTIVITY | (related != ActivityId{} ? RS_EXTENDED_RELATED : 0);
      memcpy(next.id, id.data(), sizeof next.id);
      memcpy(next.related, related.data(), sizeof next.related);
    }
    rs_thread_activity = next;
  }
  ~Activity() { rs_thread_activity = before_; }
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  rs_activity before_;
};

/// The activity in force in the calling thread, to carry it to another one; zero: none.
inline ActivityId current_activity() noexcept {
  ActivityId id{};
  if (rs_thread_activity.flags != 0) memcpy(id.data(), rs_thread_activity.id, id.size());
  return id;
}

/// A new id: 128 random bits, never zero.
/// @par Thread safety
/// Can be called from any thread, in signal handlers, and in children of fork. One system call.
RS_EXPORT ActivityId new_activity_id() noexcept;

}  // namespace ringside

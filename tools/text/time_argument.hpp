#pragma once
// Points in time in the forms that people type.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::tool {

// The present in Unix time.
std::uint64_t unix_ns_now();

// Unix time in ns of
//   2026-11-20T21:35:16.5Z, 2026-11-20T21:35:16+01:00   RFC 3339
//   2026-11-20, 2026-11-20 21:35, 2026-11-20 21:35:16.5  local time, or UTC if `utc`
//   21:35, 21:35:16.5                                    the same, today
//   now, -5m, -90s                                       this long ago: ms, s, m, h, d
//   @1763674516.5                                        Unix time in seconds
// `now_ns` is the present. Empty with `*why`, which lists the forms.
std::optional<std::uint64_t> parse_time(std::string_view text, std::uint64_t now_ns, bool utc,
                                        std::string* why);

}  // namespace ringside::tool

#pragma once
// What a shipper reports about itself (README.md, "Status").

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::fleet {

inline constexpr std::size_t kMostStatusBytes = 65536;

struct HostStatus {
  std::string tenant;
  std::string host;
  std::string version;                    // of ringship
  std::int64_t unix_ns = 0;               // when it was sent, by the clock of the host
  std::uint64_t interval_ms = 0;          // until the next one
  std::uint64_t segments = 0;             // that have files
  std::uint64_t lag_bytes = 0;            // of trace files that the server has not stored
  std::uint64_t oldest_unshipped_ms = 0;  // age of the oldest of them; 0: there are none
  // Since the shipper began.
  std::uint64_t records = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;      // of stored messages
  std::uint64_t lost = 0;       // records that services lost, as stated in what was shipped
  std::uint64_t refused = 0;    // messages that the server never takes
  std::uint64_t failures = 0;   // attempts that failed, and were repeated
  std::uint64_t snapshots = 0;  // of the fleet, in which this host took part
};

// A JSON object without tenant and host, which the subject states.
std::string write_host_status(const HostStatus& status);
// Leaves tenant and host unchanged. False if it is not a status.
bool read_host_status(std::string_view text, HostStatus& status);

// rs.status.TENANT.HOST
std::string status_subject(std::string_view tenant, std::string_view host);
// False if it is not such a subject.
bool read_status_subject(std::string_view subject, HostStatus& status);

}  // namespace ringside::fleet

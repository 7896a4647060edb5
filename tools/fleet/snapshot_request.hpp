#pragma once
// What a snapshot of a fleet asks every host for, and what each answers (README.md, "Snapshots").

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::fleet {

struct FleetSnapshotRequest {
  std::string id;                     // a token of subjects: as subject_part()
  std::vector<std::string> services;  // globs, of which one must match; none: all
  std::string activity;               // 32 hexadecimal digits; empty: all records
  std::string where;                  // a condition as in ringcat --where; or empty
  std::string level;                  // or empty
  std::string since;                  // times in the forms of ringcat --since; or empty
  std::string until;
  std::string reason;  // for people
  std::string origin;  // the host that asks
};

struct FleetSnapshotAnswer {
  std::string id;
  std::string host;
  bool is_done = false;  // all is stored by the server
  std::uint64_t segments = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of messages
  std::string error;        // empty: none
};

// A new id: the time, and a random number.
std::string new_snapshot_id();

std::string write_snapshot_request(const FleetSnapshotRequest& request);
// False with `*why` if the text is not a request of this version; its conditions are not checked.
bool read_snapshot_request(std::string_view text, FleetSnapshotRequest& request, std::string* why);

std::string write_snapshot_answer(const FleetSnapshotAnswer& answer);
// False if the text is something else, for example the server's acknowledgement of a request.
bool read_snapshot_answer(std::string_view text, FleetSnapshotAnswer& answer);

}  // namespace ringside::fleet

#pragma once
// What ringcat and ringstat ask the program fleet-reader for (README.md, "fleet-reader").

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::fleet {

// How to connect; as the options of ringship.
struct ServerAccess {
  std::string servers;  // URLs, separated by commas
  std::string credentials_file;
  std::string nkey_seed_file;
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  std::string tenant = "default";
};

struct ReaderRequest {
  enum class What : std::uint8_t { kTraces, kStatus };
  enum class Begin : std::uint8_t { kAll, kNow, kTime };

  What what = What::kTraces;
  ServerAccess access;
  std::string host;      // empty: all
  std::string service;   // empty: all
  std::string snapshot;  // its id; empty: what is sent without one
  Begin begin = Begin::kAll;
  std::int64_t begin_ns = 0;      // of kTime: Unix time at which messages were stored
  bool follows = false;           // what comes later, too
  std::uint64_t most_bytes = 0;   // on the disk
  std::uint64_t interval_ms = 0;  // of kStatus; 0: once
};

// One line of JSON, without its end.
std::string write_reader_request(const ReaderRequest& request);
// False if the line is not a request.
bool read_reader_request(std::string_view line, ReaderRequest& request);

}  // namespace ringside::fleet

#pragma once
// Creates streams of JetStream, and updates those that exist.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

inline constexpr std::int64_t kStreamSecondNs = 1'000'000'000;  // unit of times in a configuration

// `is_new`: the stream does not exist yet. What is not set remains as it is.
using SetStreamConfig = std::function<void(jsStreamConfig& config, bool is_new)>;
// None: those that it has.
using StreamSubjects = std::vector<const char*>;

enum class StreamUpdate : std::uint8_t {
  kDone,     // also if nothing differs
  kMissing,  // the server knows no such stream
  kFailed,   // `*why`
};
// Without an answer of the server it is kFailed: nothing says that the stream is missing.
StreamUpdate update_stream(NatsConnection& connection, const char* name,
                           const StreamSubjects& subjects, const SetStreamConfig& set,
                           std::string* why);

// Updates the stream, or creates it in files, with limits as its retention policy. False with
// `*why` if the server refuses, or if what exists cannot be changed as needed.
bool prepare_stream(NatsConnection& connection, const char* name, const StreamSubjects& subjects,
                    const SetStreamConfig& set, std::string* why);

}  // namespace ringside::fleet

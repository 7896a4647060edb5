#pragma once
// Names of the fields that hold facts without a place in the event model.

#include <cstdint>
#include <string>
#include <string_view>

#include "shm-layout/level.hpp"

namespace ringside::tool::nettrace {

// Constants of the statement.
inline constexpr std::string_view kEventIdField = "nettrace.event_id";  // u32
inline constexpr std::string_view kVersionField = "nettrace.version";   // u32
inline constexpr std::string_view kOpcodeField = "nettrace.opcode";     // u8, if there is one
inline constexpr std::string_view kLevelField = "nettrace.level";       // u32, unless 1 to 5

// For each record that has the fact.
inline constexpr std::string_view kPayloadField =
    "nettrace.payload";                                            // bytes without a description
inline constexpr std::string_view kExtraField = "nettrace.extra";  // bytes after the fields
inline constexpr std::string_view kProcessorField = "nettrace.processor";           // u32
inline constexpr std::string_view kCaptureThreadField = "nettrace.capture_thread";  // u64
inline constexpr std::string_view kThreadField = "nettrace.thread";                 // u64, if wide
inline constexpr std::string_view kStackField = "nettrace.stack";                   // pointer[]

// Texts for the report.
inline constexpr std::string_view kLoneSurrogates = "invalid code units of texts became U+FFFD";
inline constexpr std::string_view kNullCharacter =
    "their texts are truncated at the first null character";
inline constexpr std::string_view kNoUtf8 = "bytes of texts that are not UTF-8 became U+FFFD";

// .NET's levels: 0 always, 1 critical, 2 error, 3 warning, 4 informational, 5 verbose.
constexpr shm::Level level_of(std::uint32_t level) {
  switch (level) {
    case 1:
      return shm::Level::kCritical;
    case 2:
      return shm::Level::kError;
    case 3:
      return shm::Level::kWarning;
    case 5:
      return shm::Level::kDebug;
    default:
      return shm::Level::kInfo;
  }
}

constexpr std::uint32_t level_number(shm::Level level) {
  switch (level) {
    case shm::Level::kCritical:
      return 1;
    case shm::Level::kError:
      return 2;
    case shm::Level::kWarning:
      return 3;
    case shm::Level::kDebug:
    case shm::Level::kTrace:
      return 5;
    case shm::Level::kNone:
      return 0;
    default:
      return 4;
  }
}

// The name of a statement whose events have no name, such as those of the runtime.
inline std::string name_of_nameless(std::uint32_t event_id) {
  return "EventID(" + std::to_string(event_id) + ")";
}

}  // namespace ringside::tool::nettrace

// What the reading and writing of traces finds out about them.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::interop {

enum class Severity : std::uint8_t {
  kNote,    // unusual, or left out because a format has no place for it
  kDamage,  // part of an input is invalid or missing; the rest is read
  kError,   // the operation failed
};

struct Diagnostic {
  Severity severity = Severity::kNote;
  std::string message;
  // The number of records that it concerns; 0: it does not concern a number of records.
  std::uint64_t records = 0;

  // "12 records: activity ids are left out".
  std::string text() const {
    if (records == 0) return message;
    return std::to_string(records) + (records == 1 ? " record: " : " records: ") + message;
  }
};

}  // namespace ringside::interop

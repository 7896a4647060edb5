// How a decoder reads each argument of one site: computed once when the site becomes known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace-format/codec/site_plan.hpp"

namespace ringside::trace {

enum class ReadAction : std::uint8_t {
  kInteger,
  kEnumeration,
  kFloat32,
  kFloat64,
  kInteger128,
  kFloat80,
  kText,
  kElements,
  kTextElements,
  kSkip,  // of fixed coding, and the value is not wanted: skip its bytes
};

// The common form of all arguments of a record.
enum class ReadKind : std::uint8_t {
  kNothing,   // no arguments
  kIntegers,  // integers up to 64 bits only, all of them wanted
  kScalars,   // integers up to 64 bits and f64 only, some of them wanted
  kNumbers,   // their size follows from the tags alone: no texts, no arrays
  kSkip,      // the same, and none is wanted
  kAny,
};

// A field that records carry: one without a constant value.
struct ReadField {
  std::uint64_t value_mask = 0;    // integers: the bits that the type has
  std::uint64_t sign_bit = 0;      // integers: the highest of them if the type is signed, else 0
  std::uint16_t field = 0;         // its index among all fields of the site
  std::uint8_t element_bytes = 0;  // kElements
  Coding coding = Coding::kInteger;
  ReadAction action = ReadAction::kInteger;
};

// The number of bytes that follow for two fields, by the byte that holds their tags; kNoSuchTag if
// one of the tags is invalid for its field's type.
using PairLengths = std::array<std::uint8_t, 256>;
inline constexpr std::uint8_t kNoSuchTag = 0x80;

// Two fields whose tags share a byte.
struct ReadPair {
  const PairLengths* lengths = nullptr;
  bool wanted = true;  // at least one of them is wanted
};

struct ReadPlan {
  std::vector<ReadField> fields;
  std::vector<ReadPair> pairs;  // one for each byte of tags; empty for ReadKind::kAny
  std::uint32_t tag_bytes = 0;
  // If this many bytes remain, no argument and no 8-byte load of one can run past the end.
  std::uint32_t quick_bytes = 0;
  ReadKind kind = ReadKind::kNothing;
};

// A plan that reads all fields.
ReadPlan read_plan(const SitePlan& site);

// A plan that reads the fields for which wanted[field index] is true, and of the others only those
// that later records need: texts, whose lengths and slots refer to earlier texts, and with
// `numbers` the f64 that go to the number history.
ReadPlan narrowed_plan(const ReadPlan& whole, const std::vector<bool>& wanted, bool numbers);

}  // namespace ringside::trace

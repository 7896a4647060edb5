#pragma once
// The description of a type of events in a metadata record.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/interop/nettrace/nettrace_format.hpp"

namespace ringside::tool::nettrace {

struct MetadataField {
  std::string name;
  TypeCode type = TypeCode::kObject;
  std::vector<MetadataField> parts;  // for an object its fields, for an array its element
  // The size of each value, if it is constant; else 0.
  std::uint32_t fixed_bytes = 0;
  bool is_fixed = false;
};

enum class FieldDescription : std::uint8_t {
  kNone,     // not even a count
  kV1,       // after the record's head
  kV2,       // in a tag: can have arrays
  kUnknown,  // an unknown type: the payload is bytes
};

struct Metadata {
  std::uint32_t id = 0;
  std::uint32_t event_id = 0;
  std::string provider;
  std::string event_name;
  std::uint64_t keywords = 0;
  std::uint32_t version = 0;
  std::uint32_t level = 0;
  FieldDescription description = FieldDescription::kNone;
  std::vector<MetadataField> fields;
  std::optional<std::uint8_t> opcode;
  bool names_threads = false;  // its events have the names of threads, in Ringside's form
  std::string ringside_site;   // the tag's content, if Ringside has written the record
};

// Ringside's kind of tag for the facts of a statement that other readers do not know.
inline constexpr std::uint8_t kTagRingsideSite = 0xA5;
// Ringside's kind of tag for events with a thread's name: fields UInt64 (its number), String.
inline constexpr std::uint8_t kTagRingsideThreadName = 0xA6;

// `version`: of the trace object. False with `*why` if the record ends before its stated contents.
bool parse_metadata(std::int32_t version, const Blob& blob, Metadata& metadata, std::string* why);

// The size of a value of `field` at the front of `payload`; kNoValue if the payload ends first.
inline constexpr std::size_t kNoValue = SIZE_MAX;
std::size_t value_bytes(const MetadataField& field, std::span<const std::byte> payload);

enum class PayloadFit : std::uint8_t { kNoFields, kExact, kExtraBytes, kTooShort };

PayloadFit fit_payload(const Metadata& metadata, std::span<const std::byte> payload);

}  // namespace ringside::tool::nettrace

#pragma once
// What a metadata record says of a type of events.

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
  std::vector<MetadataField> parts;  // of an object: its fields; of an array: its element
  // Bytes of each value, if they are always the same; else 0.
  std::uint32_t fixed_bytes = 0;
  bool is_fixed = false;
};

enum class FieldDescription : std::uint8_t {
  kNone,     // not even a count
  kV1,       // behind the record's head
  kV2,       // in a tag: may have arrays
  kUnknown,  // a type that nobody knows: the payload is bytes
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
  bool names_threads = false;  // its events tell the names of threads, as Ringside writes them
  std::string ringside_site;   // what the tag of a record that Ringside has written holds
};

// Tag kind of Ringside's own: what its statement is, beyond what other readers know.
inline constexpr std::uint8_t kTagRingsideSite = 0xA5;
// And that each event tells a thread's name: fields UInt64 (its number), String.
inline constexpr std::uint8_t kTagRingsideThreadName = 0xA6;

// False with `*why` if the record ends before what it says it holds.
bool parse_metadata(std::span<const std::byte> payload, Metadata& metadata, std::string* why);

// Bytes that a value of `field` takes at the beginning of `payload`; kNoValue if that ends before.
inline constexpr std::size_t kNoValue = SIZE_MAX;
std::size_t value_bytes(const MetadataField& field, std::span<const std::byte> payload);

enum class PayloadFit : std::uint8_t { kNoFields, kExact, kExtraBytes, kTooShort };

PayloadFit fit_payload(const Metadata& metadata, std::span<const std::byte> payload);

}  // namespace ringside::tool::nettrace

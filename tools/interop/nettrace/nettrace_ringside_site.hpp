#pragma once
// The content of Ringside's tag in a metadata record: the original statement, with all facts that
// NetTrace has no place for, and its process.

#include <cstdint>
#include <string>
#include <string_view>

#include "shm-layout/field_type.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/site_definition.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::nettrace {

// The parts of a record's extension that the payload has after the fields, in this order: u64, u32,
// u64. Durations are in nanoseconds. The header of the event has the activities, and the type has
// the fact that texts were cut.
inline constexpr std::uint32_t kPayloadExtensions =
    shm::kExtSubstream | shm::kExtStack | shm::kExtDuration;
inline constexpr std::uint32_t kTypeExtensions = kPayloadExtensions | shm::kExtCut;

struct RingsideSite {
  std::uint32_t ext_flags = 0;  // kTypeExtensions
  std::uint32_t process_index = 0;
  ProcessDefinition process;
  SiteDefinition definition;
};

std::string ringside_tag(const RingsideSite& site);

// False if the tag is invalid, or contradicts the fields of the record.
bool parse_ringside_tag(const Metadata& metadata, RingsideSite& site);

// The form of a field of this type in payloads and metadata.
MetadataField described(std::string_view name, shm::FieldType type);

}  // namespace ringside::tool::nettrace

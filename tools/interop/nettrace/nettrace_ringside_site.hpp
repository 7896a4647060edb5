#pragma once
// What a metadata record of a file that Ringside has written says in a tag of its own: the
// statement as it was, with all that NetTrace knows nothing of, and its process.

#include <cstdint>
#include <string>
#include <string_view>

#include "shm-layout/field_type.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/site_definition.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::nettrace {

// Of a record's extension, what the payload has behind the fields, in this order: u64, u32, u64.
// Durations are in nanoseconds. Activities stand in the header of the event, and that texts were
// cut is a fact of the type.
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

// False if the tag is not sound, or says something else than the fields of the record.
bool parse_ringside_tag(const Metadata& metadata, RingsideSite& site);

// How a field of this type stands in payloads and metadata.
MetadataField described(std::string_view name, shm::FieldType type);

}  // namespace ringside::tool::nettrace

#pragma once
// What ringcat writes of a record as JSON besides its fields, read back.

#include <cstdint>
#include <span>
#include <string_view>

#include "shm-layout/loss_cause.hpp"
#include "tools/interop/json/json_record.hpp"
#include "trace-format/extent_decoder.hpp"

namespace ringside::tool {

struct JsonFacts {
  JsonHead head;  // texts are those of the tree
  trace::RecordExtension extension;
  bool has_message = false;  // of a printf format

  // True if `member` is one of them, which then is taken: level, kind, keywords, name, format,
  // file, line, function, message, substream, activity, related, stack_id, duration_ns, cut.
  bool take(const JsonNode& member);
};

// Begins the record and adds the fields, the members of the objects at `fields` but for those
// called `but`, unless that is empty. Those of a printf format get the types that it asks for; if
// they do not suit it, and if it is none, the format becomes the message of all records.
void begin_with_fields(JsonRecord& record, JsonHead head, const JsonTree& tree,
                       std::span<const std::uint32_t> fields, std::string_view but);

// "ring_full" and so on.
shm::LossCause loss_cause_of(std::string_view token);

// A statement's kind by its name: "log" and so on; an event's by any other.
shm::SiteKind site_kind_of(std::string_view name);

}  // namespace ringside::tool

#pragma once
// Reads the facts that ringcat writes of a record as JSON, except its fields.

#include <cstdint>
#include <span>
#include <string_view>

#include "shm-layout/loss_cause.hpp"
#include "tools/interop/json/json_record.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::tool {

struct JsonFacts {
  JsonHead head;  // texts refer to the tree
  trace::RecordExtension extension;
  bool has_message = false;  // of a printf format

  // True if `member` is one of these facts, which is then stored: level, kind, keywords, name,
  // format, file, line, function, message, substream, activity, related, stack_id, duration_ns,
  // processor, cut.
  bool take(const JsonNode& member);
};

// Begins the record and adds the fields: the members of the objects at `fields`, except those
// called `but` if that is not empty. Fields of a printf format get the types that it requires. If
// they do not match it, or if it is not a printf format, the format becomes the message of all
// records.
void begin_with_fields(JsonRecord& record, JsonHead head, const JsonTree& tree,
                       std::span<const std::uint32_t> fields, std::string_view but);

// Such as "ring_full".
shm::LossCause loss_cause_of(std::string_view token);

// The kind of a statement by its name, such as "log"; "event" for any other name.
shm::SiteKind site_kind_of(std::string_view name);

}  // namespace ringside::tool

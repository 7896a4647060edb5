#pragma once
// A message of the TPTP format as a Ringside statement: its tag is the name, and its attributes
// except the time are the fields, by their names in XML.

#include "tools/interop/site_definition.hpp"
#include "tools/interop/tptp/tptp_message.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::tptp {

inline constexpr std::string_view kCategory = "tptp";

// The type of an attribute; none for attributes that are not fields: times, and the number of
// frames.
shm::FieldType field_type_of(const MessageType& type, std::size_t attribute);

SiteDefinition definition_of(const MessageType& type);

// Null if it is not such a statement.
const MessageType* native_type_of(const trace::Site& site);

// The message of a record of such a statement. Texts refer to `args`.
void take_native(const MessageType& type, std::span<const trace::Value> args, std::uint64_t unix_ns,
                 Message& message);

}  // namespace ringside::tool::tptp

#pragma once
// Writes a message as an element of the XML form.

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/interop/tptp/tptp_message.hpp"

namespace ringside::tool::tptp {

// "1185890426.304424453".
void append_time(std::string& out, const Time& time);

// Without a line end. Attributes are in the order of the table: those that are always used, and
// others only if they differ from their default. Returns the number of texts with control
// characters, which XML cannot represent: each becomes U+FFFD.
std::uint64_t append_xml(std::string& out, const Message& message);

}  // namespace ringside::tool::tptp

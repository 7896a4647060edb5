#pragma once
// A message as an element of the XML form.

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/interop/tptp/tptp_message.hpp"

namespace ringside::tool::tptp {

// "1185890426.304424453".
void append_time(std::string& out, const Time& time);

// Without a line end. Attributes in the order of the table: those that are used always, others only
// if they differ from their default. Returns how many texts had control characters, which XML
// cannot carry: U+FFFD stands for each.
std::uint64_t append_xml(std::string& out, const Message& message);

}  // namespace ringside::tool::tptp

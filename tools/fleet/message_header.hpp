#pragma once
// The section that a message is of.

#include <string>
#include <string_view>

#include "tools/fleet/extent_message.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::fleet {

// The HEADER of its section, which it begins with, and the snapshot that it belongs to; empty:
// none. Texts point into the message. False with `*why` if it has none of its segment, or if its
// subject is that of another segment.
bool find_message_header(const ExtentMessage& message, std::string_view subject,
                         trace::SectionHeader& header, std::string* snapshot, std::string* why);

}  // namespace ringside::fleet

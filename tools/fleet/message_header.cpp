#include "tools/fleet/message_header.hpp"

#include <span>

#include "tools/fleet/extent_subject.hpp"

namespace ringside::fleet {
namespace {

bool parse_first_header(const ExtentMessage& message, trace::SectionHeader& header) {
  const std::span<const std::byte> bytes =
      message.repeated.empty() ? message.blocks : message.repeated;
  trace::BlockFrame frame;
  return trace::parse_block_frame(bytes, frame) && frame.type == trace::BlockType::kHeader &&
         trace::SectionHeader::parse(
             bytes.first(frame.block_bytes()).subspan(trace::kBlockHeaderBytes), header) &&
         header.uuid == message.uuid;
}

}  // namespace

bool find_message_header(const ExtentMessage& message, std::string_view subject,
                         trace::SectionHeader& header, std::string* snapshot, std::string* why) {
  if (!parse_first_header(message, header)) {
    *why = "it has no header of its segment";
    return false;
  }
  const auto read = read_extent_subject(subject, header.host, header.service, message.uuid);
  if (!read) {
    *why = "its subject is that of another segment";
    return false;
  }
  *snapshot = read->snapshot;
  return true;
}

}  // namespace ringside::fleet

#pragma once
// What a server answers to a published message.

#include <cstdint>
#include <string_view>

#include "tools/fleet/message_queue.hpp"

namespace ringside::fleet {

// `answer`: JSON as JetStream sends it. kUnknown if it is not well-formed.
PublishResult read_publish_answer(std::uint64_t token, std::string_view answer);

// Whether JetStream's error code says that another message is the last of the subject.
bool is_other_last(std::uint64_t code);

}  // namespace ringside::fleet

// The replies that commands of several kinds share.
#pragma once

#include <cstddef>
#include <string_view>

#include "libagent/examples/kvd/commands.hpp"

namespace kvd::commands {

inline constexpr std::string_view kSyntaxError = "ERR syntax error";
inline constexpr std::string_view kNotAnInteger = "ERR value is not an integer or out of range";
inline constexpr std::size_t kQuotedBytes = 128;  // of a client's text in an error reply

void reply_arity_error(RequestContext& context, std::string_view name);

// The null bulk if there is no value.
void reply_value(ReplyBuffer& reply, const StringPtr& value);

// Replies with the error and returns true, or returns false if the status is kOk or kMissing.
[[nodiscard]] bool reply_failure(ReplyBuffer& reply, StoreStatus status,
                                 std::string_view overflow_error);

}  // namespace kvd::commands

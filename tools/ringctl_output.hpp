#pragma once
// What ringctl says, and where.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ringside::tool {

// One line on standard error; a terminal obeys nothing of it.
void complain(std::string_view text);

// One line on standard output, at once.
void say(std::string_view text);

// What is lines already.
void say_lines(const std::string& lines);

// The same as a JSON object, in ASCII; bytes that are not UTF-8 become U+FFFD.
void say_json(const nlohmann::ordered_json& object);

// `status`, or kCtlFailed, said on standard error, if not all that was said could be written; a
// reader that has seen enough (head, less) is no reason.
int status_after_output(int status);

// "1.5s", "250ms": with the largest unit that leaves a whole part, at most three decimals.
std::string duration_text(std::uint64_t ns);

}  // namespace ringside::tool

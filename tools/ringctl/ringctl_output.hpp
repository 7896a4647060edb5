#pragma once
// The output of ringctl.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ringside::tool {

// One line on standard error; its text has no effect on a terminal.
void complain(std::string_view text);

// One line on standard output, written at once.
void say(std::string_view text);

// Text that already consists of lines.
void say_lines(const std::string& lines);

// A JSON object, in ASCII; bytes that are not UTF-8 become U+FFFD.
void say_json(const nlohmann::ordered_json& object);

// `status`, or kCtlFailed, with a message on standard error, if the output could not be written
// completely. A reader that stops early (head, less) is not a failure.
int status_after_output(int status);

// "1.5s", "250ms": with the largest unit in which the value is at least 1, at most three decimals.
std::string duration_text(std::uint64_t ns);

}  // namespace ringside::tool

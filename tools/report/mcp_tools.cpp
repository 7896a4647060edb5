#include "tools/report/mcp_tools.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ringside::tool {
namespace {

using nlohmann::json;

enum class Kind : std::uint8_t { kText, kCount, kFlag };

struct Argument {
  std::string_view name;
  std::string_view option;  // "--where"; empty: a word of its own
  Kind kind = Kind::kText;
  bool is_required = false;
  std::string_view description;
};

struct Tool {
  std::string_view name;
  std::string_view description;
  std::array<std::string_view, 6> command;  // its first words; empty ones do not count
  std::span<const Argument> arguments;
};

constexpr std::uint64_t kMostRecords = 1'000;

#define RINGSIDE_SELECTION                                                                 \
  {"where", "--where", Kind::kText, false,                                                 \
   "condition, such as qty > 100 && symbol == 'ABC'; properties begin with @: "            \
   "@duration_ns > 1000000, @level >= 'warning', @service == 'gate'"},                     \
      {"level", "--level", Kind::kText, false,                                             \
       "least level: trace, debug, info, notice, warning, error, critical"},               \
      {"service", "--service", Kind::kText, false, "glob of the name of the service"},     \
      {"thread", "--thread", Kind::kText, false, "id, or glob of the name of the thread"}, \
      {"grep", "--grep", Kind::kText, false, "regular expression in messages"},            \
      {"since", "--since", Kind::kText, false,                                             \
       "records since this time: 2026-11-20T21:35:16Z, or @1763674516.5 (Unix seconds)"},  \
  {                                                                                        \
    "until", "--until", Kind::kText, false, "records before this time"                     \
  }

constexpr Argument kStatementArguments[] = {
    {"level", "--level", Kind::kText, false, "least level"},
    {"service", "--service", Kind::kText, false, "glob of the name of the service"},
    {"site", "--site", Kind::kText, false, "a part of the format, a name, or FILE:LINE"}};
constexpr Argument kSummaryArguments[] = {
    RINGSIDE_SELECTION,
    {"interval", "--interval", Kind::kText, false, "also count per interval, such as 1s"}};
constexpr Argument kRecordArguments[] = {
    RINGSIDE_SELECTION,
    {"site", "--site", Kind::kText, false, "a part of the format, a name, or FILE:LINE"},
    {"limit", "--head", Kind::kCount, false, "most records, up to 1,000; default: 100"}};
constexpr Argument kAroundArguments[] = {
    {"since", "--since", Kind::kText, true, "beginning, for example 5 ms before the moment"},
    {"until", "--until", Kind::kText, true, "end"},
    {"service", "--service", Kind::kText, false, "glob of the name of the service"},
    {"limit", "--head", Kind::kCount, false, "most records, up to 1,000; default: 100"}};
constexpr Argument kAggregateArguments[] = {
    {"site", "", Kind::kText, true,
     "statements: a part of the format, a name, FILE:LINE, or text:* for all"},
    {"field", "--field", Kind::kText, false,
     "number: the name of an argument, or a property such as @duration_ns"},
    {"by", "--by", Kind::kText, false,
     "groups: names of arguments, or @service, @thread, @level, @site, with commas between"},
    {"interval", "--interval", Kind::kText, false, "one row per interval, such as 1s"},
    {"percentiles", "--percentiles", Kind::kText, false, "such as 50,99,99.9"},
    RINGSIDE_SELECTION};
constexpr Argument kHistogramArguments[] = {
    {"site", "", Kind::kText, true,
     "statements: a part of the format, a name, FILE:LINE, or text:* for all"},
    {"field", "--field", Kind::kText, false,
     "number: the name of an argument, or a property such as @duration_ns"},
    {"rows", "--rows", Kind::kCount, false, "number of classes"},
    {"log", "--log", Kind::kFlag, false, "classes of equal ratio"},
    RINGSIDE_SELECTION};
constexpr Argument kNoArguments[] = {
    {"service", "--service", Kind::kText, false, "glob of the name of the service"}};

#undef RINGSIDE_SELECTION

constexpr Tool kTools[] = {
    {"list_statements",
     "All log statements of the traces with their place, level, format, fields and numbers of "
     "records, also those that were never executed.",
     {"statements", "--format=json"},
     kStatementArguments},
    {"summary",
     "Counts of records, bytes and losses by thread, statement and interval, the period, and how "
     "exact the clocks are. Begin with this.",
     {"stats", "--format=json"},
     kSummaryArguments},
    {"query_records",
     "Records in the order of time, as JSON objects with message, arguments and properties.",
     {"print", "--format=json", "--utc"},
     kRecordArguments},
    {"records_around",
     "All records of all services in a short period, in the order of time: what happened around a "
     "moment.",
     {"print", "--format=json", "--utc"},
     kAroundArguments},
    {"aggregate",
     "Count, sum, mean and percentiles of a number of statements, in groups or intervals.",
     {"agg", "--format=json", "--utc"},
     kAggregateArguments},
    {"histogram",
     "Distribution of a number of statements.",
     {"hist", "--format=json", "--utc"},
     kHistogramArguments},
    {"explain_losses",
     "Why records are missing: numbers by cause, thread and statement. ring_full: the consumer was "
     "too slow, or the ring too small; no_consumer: none ran; overwritten: a flight recorder, as "
     "intended; missing: files are missing; late and too_large records are present.",
     {"stats", "--format=json"},
     kNoArguments},
    {"collection_changes",
     "What was collected over time: levels and statements that were switched, by whom.",
     {"collected", "--format=json"},
     kNoArguments},
};

std::string_view type_name(Kind kind) {
  return kind == Kind::kText ? "string" : kind == Kind::kCount ? "integer" : "boolean";
}

// What kinds of values an option takes from JSON. Empty with `*why` if it is another one.
bool add_option(const Argument& argument, const json& value, std::vector<std::string>& options,
                std::vector<std::string>& words, std::string* why) {
  std::string text;
  if (argument.kind == Kind::kText && value.is_string()) {
    text = value.get<std::string>();
  } else if (argument.kind == Kind::kCount && value.is_number_unsigned()) {
    text = std::to_string(std::clamp<std::uint64_t>(value.get<std::uint64_t>(), 1, kMostRecords));
  } else if (argument.kind == Kind::kFlag && value.is_boolean()) {
    if (value.get<bool>()) options.emplace_back(argument.option);
    return true;
  } else {
    *why = "the argument '" + std::string(argument.name) + "' must be of the type " +
           std::string(type_name(argument.kind));
    return false;
  }
  if (text.find('\0') != std::string::npos) {
    *why = "the argument '" + std::string(argument.name) + "' contains a NUL";
    return false;
  }
  if (argument.option.empty()) {
    words.push_back(std::move(text));
  } else {
    options.push_back(std::string(argument.option) + "=" + text);
  }
  return true;
}

}  // namespace

json mcp_tools() {
  json tools = json::array();
  for (const Tool& tool : kTools) {
    json properties = json::object();
    json required = json::array();
    for (const Argument& argument : tool.arguments) {
      properties[std::string(argument.name)] = {{"type", type_name(argument.kind)},
                                                {"description", argument.description}};
      if (argument.is_required) required.push_back(argument.name);
    }
    tools.push_back({{"name", tool.name},
                     {"description", tool.description},
                     {"inputSchema",
                      {{"type", "object"},
                       {"properties", std::move(properties)},
                       {"required", std::move(required)},
                       {"additionalProperties", false}}},
                     {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  }
  return tools;
}

bool mcp_command(const std::string& tool, const json& arguments, std::vector<std::string>& command,
                 std::string* why) {
  const auto* const found = std::find_if(std::begin(kTools), std::end(kTools),
                                         [&tool](const Tool& each) { return each.name == tool; });
  if (found == std::end(kTools)) {
    *why = "there is no tool '" + tool + "'; tools/list names them";
    return false;
  }
  if (!arguments.is_object()) {
    *why = "the arguments must be an object";
    return false;
  }
  for (const auto& item : arguments.items()) {
    const std::string& name = item.key();
    if (std::none_of(found->arguments.begin(), found->arguments.end(),
                     [&name](const Argument& each) { return each.name == name; })) {
      *why = fmt::format("there is no argument '{}' of {}; tools/list names them", name, tool);
      return false;
    }
  }
  std::vector<std::string> words;
  command.clear();
  for (const std::string_view word : found->command) {
    if (!word.empty()) command.emplace_back(word);
  }
  for (const Argument& argument : found->arguments) {
    const auto value = arguments.find(argument.name);
    if (value != arguments.end()) {
      if (!add_option(argument, *value, command, words, why)) return false;
    } else if (argument.is_required) {
      *why = "the argument '" + std::string(argument.name) + "' is missing";
      return false;
    } else if (argument.name == "limit") {
      command.emplace_back("--head=100");
    }
  }
  // A word after this is not an option, whatever it begins with.
  command.emplace_back("--");
  command.insert(command.end(), words.begin(), words.end());
  return true;
}

}  // namespace ringside::tool

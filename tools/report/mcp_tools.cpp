#include "tools/report/mcp_tools.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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
  AnswerForm form = {};
};

constexpr std::uint64_t kMostCount = 1'000;
constexpr std::uint64_t kUsualRecords = 100;
// Far below the most that the system passes to a process.
constexpr std::size_t kMostArgumentBytes = 16'384;
// These arguments do not have an option of their own in ringcat.
constexpr std::string_view kLimit = "limit";
constexpr std::string_view kNewest = "newest";

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
       "records since this time: 2026-11-20T21:35:16Z, 2026-11-20T22:35:16+01:00, "        \
       "@1763674516.5 (Unix seconds), or -5m (that long before now: ms, s, m, h, d); a "   \
       "time without Z or an offset is UTC, and one without a date is today"},             \
  {                                                                                        \
    "until", "--until", Kind::kText, false, "records before this time, in the same forms"  \
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
    {kLimit, "", Kind::kCount, false, "most records, up to 1,000; default: 100"},
    {kNewest, "", Kind::kFlag, false,
     "the newest records rather than the oldest; their order is that of time too"}};
constexpr Argument kAroundArguments[] = {
    {"since", "--since", Kind::kText, true,
     "beginning, for example 5 ms before the moment; forms: see query_records"},
    {"until", "--until", Kind::kText, true, "end"},
    {"service", "--service", Kind::kText, false, "glob of the name of the service"},
    {kLimit, "", Kind::kCount, false, "most records, up to 1,000; default: 100"}};
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
constexpr Argument kLossArguments[] = {
    {"service", "--service", Kind::kText, false, "glob of the name of the service"},
    {"since", "--since", Kind::kText, false, "losses since this time; forms: see query_records"},
    {"until", "--until", Kind::kText, false, "losses before this time"},
    {"interval", "--interval", Kind::kText, false, "also count per interval, such as 1s"}};
constexpr Argument kChangeArguments[] = {
    {"service", "--service", Kind::kText, false, "glob of the name of the service"}};

#undef RINGSIDE_SELECTION

constexpr AnswerForm kRecords{.shape = AnswerShape::kLines, .array = "records"};
constexpr AnswerForm kStatements{.shape = AnswerShape::kLines, .array = "statements"};
constexpr AnswerForm kPeriods{.shape = AnswerShape::kLines, .array = "periods"};

constexpr Tool kTools[] = {
    {"list_statements",
     "All log statements of the traces, also those that were never executed: `statements`, each "
     "with service, records, collected, level, category, name, file, line, function, format, and "
     "variants with sites and fields (name, type).",
     {"statements", "--format=json"},
     kStatementArguments,
     kStatements},
    {"summary",
     "Counts of records, bytes and losses: in total, of `streams` (threads), `sites` (statements) "
     "and `intervals`, up to 200 each, those with the most records; first_unix_ns and "
     "last_unix_ns, and how exact the clocks of `hosts` are. Begin with this.",
     {"stats", "--format=json", "--utc", "--most-rows=200"},
     kSummaryArguments},
    {"query_records",
     "Records: `records` in the order of time, each with kind (record or loss), time (UTC), "
     "unix_ns, level, service, pid, thread, file, line, msg, fields, and properties such as "
     "duration_ns. If `has_more` is true, ask again with `since` the last time.",
     {"print", "--format=json", "--utc"},
     kRecordArguments,
     kRecords},
    {"records_around",
     "All records of all services in a short period, in the order of time: what happened around a "
     "moment. The answer is that of query_records.",
     {"print", "--format=json", "--utc"},
     kAroundArguments,
     kRecords},
    {"aggregate",
     "Count, sum, mean and percentiles of a number of statements, in groups or intervals: `rows` "
     "with count, sum, min, max, mean, deviation, p50 and so on, the names of `by`, and with "
     "`interval` time (ns since 1970); `site`, the statements. Up to 1,000 rows.",
     {"agg", "--format=json", "--utc", "--most-rows=1000"},
     kAggregateArguments},
    {"histogram",
     "Distribution of a number of statements: `rows` with from, to and count; `of`, the number; "
     "`site`, the statements.",
     {"hist", "--format=json", "--utc", "--most-rows=1000"},
     kHistogramArguments},
    {"explain_losses",
     "Why records are missing: `causes`, each with records, is_lost (or truncated, late, left "
     "out), meaning and remedy; the `streams` (threads) and `sites` (statements) with the most "
     "losses, up to 50 each, with lost_by_cause; damage of files.",
     {"stats", "--format=json", "--utc", "--lost-only", "--most-rows=50"},
     kLossArguments,
     {.shape = AnswerShape::kLosses}},
    {"collection_changes",
     "What was collected over time: `periods` with service, pid, time (the end), since_unix_ns, "
     "level, statements that were switched, rules, hidden, and changes (cause, time, command, "
     "user).",
     {"collected", "--format=json"},
     kChangeArguments,
     kPeriods},
};

std::string_view type_name(Kind kind) {
  return kind == Kind::kText ? "string" : kind == Kind::kCount ? "integer" : "boolean";
}

std::string described(const Argument& argument, std::string_view what) {
  return fmt::format("the argument '{}' {}", argument.name, what);
}

// What is wrong with the type or the size of a value; empty if nothing is.
std::string fault_of(const Argument& argument, const json& value) {
  const bool is_right = argument.kind == Kind::kText   ? value.is_string()
                        : argument.kind == Kind::kFlag ? value.is_boolean()
                                                       : value.is_number();
  const bool is_whole =
      !value.is_number_float() || value.get<double>() == std::floor(value.get<double>());
  if (!is_right || !is_whole)
    return described(argument, fmt::format("must be of the type {}", type_name(argument.kind)));
  if (argument.kind == Kind::kCount) {
    const double number = value.get<double>();
    if (number >= 1 && number <= double{kMostCount}) return {};
    return described(argument, fmt::format("must be from 1 to {}", kMostCount));
  }
  if (argument.kind != Kind::kText) return {};
  const auto& text = value.get_ref<const std::string&>();
  // An option would take the next word as its value.
  if (text.empty()) return described(argument, "is empty; leave it out");
  if (text.size() > kMostArgumentBytes)
    return described(argument, fmt::format("has more than {} bytes", kMostArgumentBytes));
  if (text.find('\0') != std::string::npos) return described(argument, "contains a NUL");
  return {};
}

// The value is without faults.
void add_option(const Argument& argument, const json& value, std::vector<std::string>& options,
                std::vector<std::string>& words) {
  const std::string option(argument.option);
  if (argument.kind == Kind::kFlag) {
    if (value.get<bool>()) options.push_back(option);
  } else if (argument.kind == Kind::kCount) {
    options.push_back(fmt::format("{}={}", option, value.get<std::uint64_t>()));
  } else if (option.empty()) {
    words.push_back(value.get<std::string>());
  } else {
    options.push_back(option + "=" + value.get<std::string>());
  }
}

// One more record shows that there are more.
void bound_records(const json& arguments, McpQuestion& question) {
  const std::size_t most = arguments.value(kLimit, kUsualRecords);
  question.form.most_elements = most;
  question.form.keeps_last = arguments.value(kNewest, false);
  question.command.push_back(
      fmt::format("{}={}", question.form.keeps_last ? "--tail" : "--head", most + 1));
}

}  // namespace

json mcp_tools() {
  json tools = json::array();
  for (const Tool& tool : kTools) {
    json properties = json::object();
    json required = json::array();
    for (const Argument& argument : tool.arguments) {
      json& property = properties[std::string(argument.name)];
      property = {{"type", type_name(argument.kind)}, {"description", argument.description}};
      if (argument.kind == Kind::kText) {
        property["minLength"] = 1;
        property["maxLength"] = kMostArgumentBytes;
      } else if (argument.kind == Kind::kCount) {
        property["minimum"] = 1;
        property["maximum"] = kMostCount;
      }
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

std::optional<McpQuestion> mcp_question(const std::string& tool, const json& arguments,
                                        std::string* why) {
  const auto* const found = std::find_if(std::begin(kTools), std::end(kTools),
                                         [&tool](const Tool& each) { return each.name == tool; });
  if (found == std::end(kTools)) {
    *why = "there is no tool '" + tool + "'; tools/list names them";
    return std::nullopt;
  }
  if (!arguments.is_object()) {
    *why = "the arguments must be an object";
    return std::nullopt;
  }
  for (const auto& item : arguments.items()) {
    const std::string& name = item.key();
    if (std::none_of(found->arguments.begin(), found->arguments.end(),
                     [&name](const Argument& each) { return each.name == name; })) {
      *why = fmt::format("there is no argument '{}' of {}; tools/list names them", name, tool);
      return std::nullopt;
    }
  }
  McpQuestion question;
  question.form = found->form;
  for (const std::string_view word : found->command) {
    if (!word.empty()) question.command.emplace_back(word);
  }
  std::vector<std::string> words;
  bool has_limit = false;
  for (const Argument& argument : found->arguments) {
    const auto value = arguments.find(argument.name);
    has_limit = has_limit || argument.name == kLimit;
    if (value == arguments.end()) {
      if (!argument.is_required) continue;
      *why = described(argument, "is missing");
      return std::nullopt;
    }
    *why = fault_of(argument, *value);
    if (!why->empty()) return std::nullopt;
    if (argument.name != kLimit && argument.name != kNewest)
      add_option(argument, *value, question.command, words);
  }
  if (has_limit) bound_records(arguments, question);
  // A word after this is not an option, whatever it begins with.
  question.command.emplace_back("--");
  question.command.insert(question.command.end(), words.begin(), words.end());
  return question;
}

}  // namespace ringside::tool

#include "tools/report/record_index.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace ringside::tool {
namespace {

// By KeptFor.
constexpr std::array<std::string_view, 8> kReasons = {"all",  "first", "last",    "trigger",
                                                      "loss", "error", "warning", "sample"};

template <class Value>
std::string array_of(std::span<const IndexedRecord> records, Value value) {
  fmt::memory_buffer out;
  for (const IndexedRecord& record : records) {
    fmt::format_to(std::back_inserter(out), "{}{}", out.size() == 0 ? "" : ",", value(record));
  }
  return "[" + fmt::to_string(out) + "]";
}

}  // namespace

void RecordIndex::describe(const Selection& selection) {
  selection_ = fmt::format(
      "\"of\":{},\"all\":{},\"halvings\":{},\"sample_intervals\":{},\"further_forms\":{}",
      selection.records, selection.has_all, selection.halvings, selection.sample_intervals,
      selection.further_forms);
  seen_.assign(selection.seen.begin(), selection.seen.end());
}

std::string RecordIndex::json(const std::string& forms) const {
  std::array<std::uint64_t, kReasons.size()> kept{};
  std::string cut;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    ++kept[records_[i].reason];
    if (records_[i].is_cut) cut += (cut.empty() ? "" : ",") + std::to_string(i);
  }
  std::string rules;
  for (std::size_t i = 0; i < kReasons.size(); ++i) {
    if (kept[i] == 0 && (i >= seen_.size() || seen_[i] == 0)) continue;
    rules += fmt::format("{}\"{}\":{{\"kept\":{},\"of\":{}}}", rules.empty() ? "" : ",",
                         kReasons[i], kept[i], i < seen_.size() ? seen_[i] : 0);
  }
  // Differences have fewer digits.
  std::uint64_t before_ns = grid_.begin_ns();
  const auto difference = [&before_ns](const IndexedRecord& record) {
    const auto ns = static_cast<std::int64_t>(record.unix_ns - before_ns);
    before_ns = record.unix_ns;
    return ns;
  };
  using R = const IndexedRecord&;
  return "{" + selection_ + fmt::format(",\"chunk\":{},\"rules\":{{{}}}", chunk_records_, rules) +
         ",\"after\":" + array_of(records_, difference) +
         ",\"statement\":" + array_of(records_, [](R one) { return one.statement; }) +
         ",\"stream\":" + array_of(records_, [](R one) { return one.stream; }) +
         ",\"form\":" + array_of(records_, [](R one) { return one.form; }) +
         ",\"context\":" + array_of(records_, [](R one) { return one.context; }) +
         ",\"reason\":" + array_of(records_, [](R one) { return int{one.reason}; }) +
         ",\"reasons\":[\"" + fmt::format("{}", fmt::join(kReasons, "\",\"")) + "\"]" +
         ",\"cut\":[" + cut + "],\"forms\":" + forms + "}";
}

}  // namespace ringside::tool

#include "tools/ringcat/agg_command.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/query/exit_codes.hpp"
#include "tools/query/number_reading.hpp"
#include "tools/query/question.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/conversion_options.hpp"
#include "tools/ringcat/foreign_files.hpp"
#include "tools/ringcat/question_inputs.hpp"
#include "tools/text/result_table.hpp"
#include "trace-format/lines/wall_clock_text.hpp"
#include "trace-format/query/distribution.hpp"
#include "trace-format/query/groups.hpp"
#include "trace-format/query/summary.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool {
namespace {

// A group with percentiles may take some KiB.
constexpr std::size_t kMostGroups = 65536;

struct AggOptions {
  QuestionOptions question;
  std::string by;
  std::string interval;
  std::string percentiles = "50,90,99";
};

// The totals of one group.
template <class T>
struct Totals {
  std::uint64_t records = 0;  // the only member used if the question has no number
  trace::query::Summary<T> summary;
  trace::query::Distribution distribution;

  void merge(const Totals& other) {
    records += other.records;
    summary.merge(other.summary);
    distribution.merge(other.distribution);
  }
};

template <class T>
class AggSink {
 public:
  using Number = T;

  explicit AggSink(const Question& question, bool percentiles)
      : groups_(question.parts, {}, kMostGroups),
        grouped_(!question.parts.empty()),
        numbers_(question.source != NumberSource::kNone),
        percentiles_(percentiles) {}

  void add(const trace::query::RecordInfo* record, T number) {
    Totals<T>& totals = grouped_ ? groups_.of(*record) : whole_;
    ++totals.records;
    if (!numbers_) return;
    totals.summary.add(number);
    if (percentiles_) totals.distribution.add(static_cast<double>(number));
  }
  void merge(const AggSink& other) {
    groups_.merge(other.groups_);
    whole_.merge(other.whole_);
  }

  bool grouped() const { return grouped_; }
  const trace::query::Groups<Totals<T>>& groups() const { return groups_; }
  const Totals<T>& whole() const { return whole_; }

 private:
  trace::query::Groups<Totals<T>> groups_;
  Totals<T> whole_;
  bool grouped_;
  bool numbers_;
  bool percentiles_;
};

class AggReport {
 public:
  AggReport(const Question& question, const AggOptions& options, std::vector<double> percentiles)
      : question_(question),
        format_(options.question.format),
        most_rows_(options.question.most_rows),
        percentiles_(std::move(percentiles)),
        clock_(options.question.utc) {}

  template <class T>
  ResultTable table(const AggSink<T>& sink, const ReadNumbers& read) {
    ResultTable table;
    table.set_most_rows(most_rows_);
    question_.describe(table);
    if (question_.source != NumberSource::kNone) {
      table.add_fact("of", Cell::of_text(question_.number_name));
    }
    add_counts(table, read);
    std::vector<std::string> columns = question_.part_names;
    columns.push_back("count");
    if (question_.source != NumberSource::kNone) {
      for (const char* name : {"sum", "min", "max", "mean", "deviation"}) columns.push_back(name);
      for (const double percent : percentiles_) columns.push_back(fmt::format("p{}", percent));
    }
    table.set_columns(std::move(columns));
    if (!sink.grouped()) {
      table.add_row(cells_of(sink.whole(), {}));
      return table;
    }
    for (const auto* group : sink.groups().sorted()) {
      table.add_row(cells_of(group->aggregate, key_cells(group->key)));
    }
    if (sink.groups().has_rest()) {
      std::vector<Cell> key(question_.parts.size(), Cell::of_text("(others)"));
      table.add_row(cells_of(sink.groups().rest(), std::move(key)));
    }
    return table;
  }

 private:
  void add_counts(ResultTable& table, const ReadNumbers& read) const {
    if (question_.source == NumberSource::kGap) {
      table.add_fact("unmatched begins", Cell::of_count(read.gaps.unmatched_begins));
      table.add_fact("of them restarted", Cell::of_count(read.gaps.restarted));
      table.add_fact("of them evicted", Cell::of_count(read.gaps.evicted));
      table.add_fact("unmatched ends", Cell::of_count(read.gaps.unmatched_ends));
    }
    if (question_.source == NumberSource::kProperty || question_.number_in_contexts) {
      const bool is_duration = question_.source == NumberSource::kProperty &&
                               question_.property == trace::Property::kDurationNs;
      table.add_fact("records without " + (is_duration ? "a duration" : question_.number_name),
                     Cell::of_count(read.without_number));
    }
  }

  std::vector<Cell> key_cells(const std::vector<trace::query::KeyText>& key) {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < key.size(); ++i) {
      const bool time = question_.parts[i].kind == trace::query::KeyPartKind::kInterval;
      if (time && format_ != TableFormat::kJson) {
        sink_.clear();
        clock_.append(sink_, std::stoull(key[i].text));
        cells.push_back(Cell::of_text(sink_.text()));
      } else {
        cells.push_back({key[i].text, key[i].is_number && is_json_number(key[i].text)});
      }
    }
    return cells;
  }

  // Excludes "inf", "nan" and the 0x of a pointer.
  static bool is_json_number(const std::string& text) {
    return text.find_first_not_of("+-.0123456789e") == std::string::npos;
  }

  template <class T>
  std::vector<Cell> cells_of(const Totals<T>& totals, std::vector<Cell> cells) const {
    cells.push_back(Cell::of_count(totals.records));
    if (question_.source == NumberSource::kNone) return cells;
    const trace::query::Summary<T>& summary = totals.summary;
    if (summary.count() == 0) {
      cells.resize(cells.size() + 5 + percentiles_.size(), Cell::of_text(""));
      return cells;
    }
    if constexpr (std::integral<T>) {
      cells.push_back({fmt::format("{}", summary.sum()), true});
      cells.push_back({std::to_string(summary.min()), true});
      cells.push_back({std::to_string(summary.max()), true});
    } else {
      for (const double number : {summary.sum(), summary.min(), summary.max()}) {
        cells.push_back(Cell::of_number(number, format_));
      }
    }
    cells.push_back(Cell::of_number(summary.mean(), format_));
    cells.push_back(Cell::of_number(summary.deviation(), format_));
    for (const double percent : percentiles_) {
      // A class of numbers may extend beyond the numbers in it.
      cells.push_back(Cell::of_number(
          std::clamp(totals.distribution.percentile(percent), static_cast<double>(summary.min()),
                     static_cast<double>(summary.max())),
          format_));
    }
    return cells;
  }

  const Question& question_;
  TableFormat format_;
  std::size_t most_rows_;
  std::vector<double> percentiles_;
  trace::WallClockText clock_;
  trace::TextSink sink_;
};

// Empty if a value is not a number from 0 to 100.
std::optional<std::vector<double>> parse_percentiles(std::string_view list) {
  std::vector<double> percentiles;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    double percent = 0;
    const auto [at, failure] = std::from_chars(one.data(), one.data() + one.size(), percent);
    const bool sound = failure == std::errc() && at == one.data() + one.size();
    if (!sound || !(percent >= 0 && percent <= 100)) return std::nullopt;
    percentiles.push_back(percent);
    list.remove_prefix(std::min(list.size(), one.size() + 1));
  }
  return percentiles;
}

template <class T>
int answer(const Question& question, const AggOptions& options,
           const std::vector<double>& percentiles) {
  AggSink<T> sink(question, !percentiles.empty());
  const ReadNumbers read = read_numbers(question, sink);
  if (!read.answered) return read.exit_code;
  AggReport report(question, options, percentiles);
  const std::string text =
      report.table(sink, read).text(options.question.format, output_is_terminal());
  return write_output(text) ? read.exit_code : exit_code_of_failed_output(errno);
}

}  // namespace

int run_agg(int argc, char** argv) {
  AggOptions options;
  CLI::App app(
      "Counts records of selected sites; computes sums, means and percentiles of a number.",
      "ringcat agg");
  options.question.add_to(app);
  std::string from;
  add_from_option(app, from);
  FleetOptions fleet;
  add_fleet_options(app, fleet);
  app.add_option("--by", options.by,
                 "one row per value of these fields, or of properties: @process, and @ with the "
                 "names of --where, such as @thread, @service, @site, @level, @category, @kind, "
                 "@activity")
      ->option_text("FIELD[,FIELD...]");
  app.add_option("--interval", options.interval,
                 "one row per interval of time, such as 10ms, 1s, 5m")
      ->type_name("DURATION");
  app.add_option("--percentiles", options.percentiles,
                 "percentiles to print, from 0 to 100; \"\" for none")
      ->type_name("N[,N...]")
      ->capture_default_str();
  app.footer(
      "SITE selects log statements: a part of the format, a name, or FILE:LINE; or terms\n"
      "text:GLOB, name:GLOB, file:GLOB[:LINE], category:GLOB joined by &&. text:* selects all.\n"
      "A field has the name of the argument of the log statement.\n"
      "\n"
      "  ringcat agg 'order filled' --field qty --by symbol --percentiles 50,99 /traces\n"
      "  ringcat agg --gap 'request started' 'request finished' --join id /traces\n"
      "\n"
      "Sums of integers are exact. Percentiles are exact up to 1,024 numbers; beyond that the\n"
      "error is at most 0.4 %. Gaps and durations are in ns; with --gap, --by takes fields of\n"
      "SITE_B.\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped, 2 invalid usage, or the trace has no such\n"
      "site or field, 3 nothing could be read or written.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  const auto percentiles = parse_percentiles(options.percentiles);
  if (!percentiles) {
    complain("--percentiles " + options.percentiles +
             ": invalid percentiles; use numbers from 0 to 100, such as 50,99,99.9");
    return kExitUsage;
  }
  QuestionInputs inputs;
  if (!take_question_inputs(options.question, from, fleet, inputs)) return kExitUnreadable;
  int exit_code = kExitOk;
  const auto question =
      prepare_question(options.question, options.by, options.interval, &exit_code);
  if (!question) return exit_code;
  exit_code = with_number_type(
      *question, [&]<class T>() { return answer<T>(*question, options, *percentiles); });
  return std::max(exit_code, inputs.worst_exit_code());
}

}  // namespace ringside::tool

#include "tools/ringcat/hist_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "tools/query/histogram_text.hpp"
#include "tools/query/number_reading.hpp"
#include "tools/query/question.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/conversion_options.hpp"
#include "tools/ringcat/foreign_files.hpp"
#include "tools/ringcat/question_inputs.hpp"
#include "tools/text/result_table.hpp"
#include "trace-format/query/histogram.hpp"
#include "trace-format/query/summary.hpp"

namespace ringside::tool {
namespace {

using trace::query::Histogram;
using trace::query::Scale;

struct HistOptions {
  QuestionOptions question;
  std::size_t rows = 20;
  std::size_t width = 0;  // 0: width of the terminal
  bool ascii = false;
  bool logarithmic = false;
};

template <class T>
struct SummarySink {
  using Number = T;
  trace::query::Summary<T> summary;
  void add(const trace::query::RecordInfo*, T number) {
    // Infinities and NaN do not lie between two bounds.
    if constexpr (!std::integral<T>) {
      if (!std::isfinite(number)) return;
    }
    summary.add(number);
  }
  void merge(const SummarySink& other) { summary.merge(other.summary); }
};

template <class T>
struct HistogramSink {
  using Number = T;
  Histogram histogram;
  void add(const trace::query::RecordInfo*, T number) {
    histogram.add(static_cast<double>(number));
  }
  void merge(const HistogramSink& other) { histogram.merge(other.histogram); }
};

std::size_t output_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string text_of(const Question& question, const HistOptions& options,
                    const Histogram& histogram) {
  const TableFormat format = options.question.format;
  ResultTable table;
  table.set_most_rows(options.question.most_rows);
  question.describe(table);
  table.add_fact("of", Cell::of_text(question.number_name));
  if (histogram.below() + histogram.above() > 0) {
    table.add_fact("outside (infinite, or written during the run)",
                   Cell::of_count(histogram.below() + histogram.above()));
  }
  if (format == TableFormat::kText) {
    const std::size_t columns = options.width == 0 ? output_columns() : options.width;
    return table.text(format, output_is_terminal()) +
           histogram_text(histogram, {columns, options.ascii});
  }
  table.set_columns({"from", "to", "count"});
  for (std::size_t row = 0; row < histogram.rows(); ++row) {
    table.add_row({Cell::of_number(histogram.edge(row), format),
                   Cell::of_number(histogram.edge(row + 1), format),
                   Cell::of_count(histogram.count(row))});
  }
  return table.text(format, output_is_terminal());
}

// Reads twice: once for the bounds, and once to count between them.
template <class T>
int answer(const Question& question, const HistOptions& options) {
  SummarySink<T> bounds;
  const ReadNumbers first = read_numbers(question, bounds);
  if (!first.answered) return first.exit_code;
  if (bounds.summary.count() == 0) {
    complain("no values: " + question.number_name + " has no finite value in these files");
    return std::max(first.exit_code, kExitDamaged);
  }
  const Scale scale = options.logarithmic ? Scale::kLogarithmic : Scale::kLinear;
  HistogramSink<T> sink{Histogram(static_cast<double>(bounds.summary.min()),
                                  static_cast<double>(bounds.summary.max()), options.rows, scale)};
  if (sink.histogram.scale() != scale) {
    complain("--log requires numbers above 0; the smallest is " +
             Cell::of_number(static_cast<double>(bounds.summary.min()), TableFormat::kText).text);
    return kExitUsage;
  }
  const ReadNumbers second = read_numbers(question, sink);
  if (!second.answered) return second.exit_code;
  return write_output(text_of(question, options, sink.histogram))
             ? first.exit_code
             : exit_code_of_failed_output(errno);
}

}  // namespace

int run_hist(int argc, char** argv) {
  HistOptions options;
  CLI::App app("Draws a histogram of a number of selected sites.", "ringcat hist");
  options.question.add_to(app);
  options.question.evaluates_own_number = true;
  std::string from;
  add_from_option(app, from);
  FleetOptions fleet;
  add_fleet_options(app, fleet);
  app.add_option("--rows", options.rows, "number of rows")
      ->check(CLI::Range(1U, 10000U))
      ->capture_default_str();
  app.add_flag("--log", options.logarithmic, "rows of equal ratio instead of equal width");
  app.add_option("--width", options.width,
                 "width of a line in columns; default: that of the terminal, or 80")
      ->check(CLI::Range(20U, 10000U));
  app.add_flag("--ascii", options.ascii, "draw bars with # instead of block characters");
  app.footer(
      "  ringcat hist latency_us /traces\n"
      "  ringcat hist 'order filled' --field qty /traces\n"
      "  ringcat hist --gap 'request started' 'request done' --join id --log /traces\n"
      "\n"
      "SITE, fields and gaps are those of ringcat agg. Without --field and --gap, the number of a\n"
      "histogram is its sample, and that of a span its duration. The files are read twice. A row\n"
      "includes its lower bound and excludes its upper bound; the last row includes both.\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped, or there are no values, 2 invalid usage, or\n"
      "the trace has no such site or field, 3 nothing could be read or written.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  QuestionInputs inputs;
  if (!take_question_inputs(options.question, from, fleet, inputs)) return kExitUnreadable;
  int exit_code = kExitOk;
  const auto question = prepare_question(options.question, {}, {}, &exit_code);
  if (!question) return exit_code;
  exit_code = with_number_type(*question, [&]<class T>() { return answer<T>(*question, options); });
  return std::max(exit_code, inputs.worst_exit_code());
}

}  // namespace ringside::tool

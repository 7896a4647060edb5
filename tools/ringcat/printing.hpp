#pragma once
// What all ways to print records as lines have in common.

#include <string_view>

#include "tools/query/event_filter.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/ringcat/print_options.hpp"
#include "tools/text/clock_order.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/blocks/read_report.hpp"
#include "trace-format/lines/line_format.hpp"

namespace ringside::tool {

// From now on, the first SIGINT or SIGTERM ends following, after the existing records are printed.
// A second signal ends the process at once.
void stop_on_signals();

// Whether such a signal has come.
bool is_signalled();
// Whether such a signal has come, or the reader of standard output is gone.
bool is_stopped();

// The selection of records for lines, and how printing them ended. Refers to the constructor's
// arguments.
class Printing {
 public:
  Printing(const PrintOptions& options, const EventFilter& filter, const trace::LineFormat& format);
  Printing(const Printing&) = delete;
  Printing& operator=(const Printing&) = delete;

  // False if standard output fails.
  bool write(std::string_view text);
  // The exit code. `whole`: no write failed.
  int finish(bool whole, const trace::ReadReport& report) const;

  TraceTextOptions& text_options() { return text_options_; }

 private:
  const EventFilter& filter_;
  RecordFilter records_;
  ClockOrder clock_order_;
  TraceTextOptions text_options_;
  int failure_ = 0;
};

}  // namespace ringside::tool

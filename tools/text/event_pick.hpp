#pragma once
// Selects the events of a reader that are printed.

#include <cstdint>

#include "tools/text/clock_order.hpp"
#include "tools/text/progress_bar.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// Refers to the options.
class EventPick {
 public:
  explicit EventPick(const TraceTextOptions& options) : options_(options), left_(options.most) {}

  // The next selected event of `source`, a TraceSet or TraceFollower; false if there is none (now).
  template <class Source>
  bool next(Source& source, trace::Event& event) {
    while (left_ > 0 && source.next(event)) {
      if (options_.progress != nullptr) options_.progress->show(source.report().bytes_read);
      if (options_.wanted && !options_.wanted(event)) continue;
      --left_;
      if (event.clock_error_ns) [[unlikely]]
        note_clock(event, source.report().host_clocks);
      return true;
    }
    return false;
  }

  // Whether the wanted number of events is reached.
  bool is_done() const { return left_ == 0; }

 private:
  void note_clock(trace::Event& event, const trace::HostClocks& hosts) {
    event.order_unknown = options_.clock_order != nullptr &&
                          options_.clock_order->add(event, hosts) && options_.marks_order;
  }

  const TraceTextOptions& options_;
  std::uint64_t left_;
};

}  // namespace ringside::tool

#include "tools/interop/trace_forwarding.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/datagram_sender.hpp"
#include "tools/interop/endpoint_address.hpp"
#include "tools/interop/fields_of_context.hpp"
#include "tools/interop/format_registry.hpp"
#include "tools/interop/forward_connection.hpp"
#include "tools/interop/trace_writer.hpp"
#include "trace-format/reader/open_spans.hpp"

namespace ringside::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWaitForEventsMs = 100;
// Whichever comes first.
constexpr std::uint64_t kBatchRecords = 1000;
constexpr std::uint64_t kBatchBytes = std::uint64_t{256} << 10;

// A stream of the format: from its beginning, with definitions of its own.
class Encoding {
 public:
  Encoding(const ForeignFormat& format, ConversionReport& report, OutputBytes::Sink sink)
      : output_(std::move(sink)), writer_(format.write(output_, report)), fields_(format) {}
  ~Encoding() { writer_->end(); }
  Encoding(const Encoding&) = delete;
  Encoding& operator=(const Encoding&) = delete;

  void add(const trace::Event& event) { writer_->add(fields_.of(event)); }
  bool flush() {
    writer_->flush();
    flushed_ = output_.position();
    return output_.flush();
  }
  bool is_batch() const { return output_.position() - flushed_ >= kBatchBytes; }
  int error() const { return output_.error(); }

 private:
  OutputBytes output_;
  std::unique_ptr<TraceWriter> writer_;
  FieldsOfContext fields_;
  std::uint64_t flushed_ = 0;
};

class Forwarding {
 public:
  Forwarding(trace::TraceFollower& follower, const EventChoice& choice, bool draws_spans,
             const std::function<bool()>& stop)
      : follower_(follower), choice_(choice), draws_spans_(draws_spans), stop_(stop) {}

  bool is_over() const { return result.records >= choice_.most; }

  // Adds up to a batch of the events that exist; returns their number. `encoding` null: only
  // counts.
  std::uint64_t take(Encoding* encoding) {
    std::uint64_t taken = 0;
    trace::Event event;
    while (taken < kBatchRecords && !is_over() && (encoding == nullptr || !encoding->is_batch()) &&
           follower_.next(event)) {
      // Of a span that lasts, it is not known whether it will end.
      if (draws_spans_ && trace::is_span_begin(event)) continue;
      if (choice_.wanted && !choice_.wanted(event)) continue;
      if (encoding != nullptr) encoding->add(event);
      ++taken;
      ++result.records;
    }
    return taken;
  }

  // Everything to something that is always there.
  void run(const ForeignFormat& format, const OutputBytes::Sink& sink) {
    Encoding encoding(format, report, sink);
    for (bool finishing = false;;) {
      const std::uint64_t taken = take(&encoding);
      if (taken != 0 || !started_) result.any_sent = true;
      started_ = true;
      if (!encoding.flush()) break;
      if (taken != 0) continue;
      if (finishing || is_over()) break;
      if (stop_()) {
        finishing = true;
        follower_.finish();
      } else {
        follower_.wait(kWaitForEventsMs);
      }
    }
    result.sink_error = encoding.error();
  }

  void run(const ForeignFormat& format, ForwardConnection& connection) {
    std::optional<Encoding> encoding;
    std::string batch;
    auto progress = Clock::now();
    bool finishing = false;
    for (;;) {
      if (connection.connect()) {
        encoding.reset();
        batch.clear();
        // The bytes of the stream's beginning, if any, come with the first batch.
        encoding.emplace(format, report, [&batch](std::span<const std::byte> bytes) {
          batch.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          return true;
        });
      }
      const std::size_t queued_before = connection.queued_bytes();
      std::uint64_t taken = 0;
      if (connection.pump() && connection.queued_bytes() < kMostForwardQueueBytes) {
        taken = take(&*encoding);
        encoding->flush();
        connection.add(std::as_bytes(std::span(batch)), taken);
        batch.clear();
        connection.pump();
      }
      if (taken != 0 || connection.queued_bytes() < queued_before) progress = Clock::now();
      if (!finishing && (is_over() || stop_())) {
        finishing = true;
        follower_.finish();
        connection.hurry();
        progress = Clock::now();
        continue;
      }
      const auto idle = Clock::now() - progress;
      if (finishing && taken == 0) {
        if (connection.is_acknowledged()) break;
        if (idle > std::chrono::milliseconds(kMostFarewellMs)) break;
      }
      if (taken != 0) continue;
      if (!connection.is_connected()) {
        // New files are found meanwhile, before they can be removed.
        follower_.wait(std::min(kWaitForEventsMs, connection.back_off_ms()));
      } else if (connection.queued_bytes() != 0 || finishing) {
        connection.wait(finishing ? 10 : kWaitForEventsMs);
      } else {
        follower_.wait(kWaitForEventsMs);
      }
    }
    end(connection);
    encoding.reset();
  }

  ForwardResult result;
  ConversionReport report;

 private:
  void end(ForwardConnection& connection) {
    const std::uint64_t arrived = connection.acknowledged_records();
    result.any_sent = connection.was_connected();
    connection.shut_down();
    // A receiver that has not read everything when the connection is closed loses it: so it gets a
    // moment to end its side.
    const auto until = Clock::now() + std::chrono::milliseconds(kMostFarewellMs / 5);
    while (connection.pump() && Clock::now() < until) connection.wait(10);
    const std::uint64_t given = result.records;
    result.doubtful = given - arrived;
    while (take(nullptr) != 0) {
    }
    result.unsent = result.records - given;
  }

  trace::TraceFollower& follower_;
  const EventChoice& choice_;
  bool draws_spans_;
  const std::function<bool()>& stop_;
  bool started_ = false;
};

}  // namespace

bool can_forward(const ConversionOptions& options, std::string* why) {
  if (!find_foreign_format(options.format)->forwards) {
    *why = options.format + " cannot be written while the trace grows; use one of " +
           names_of_forwarded_formats();
    return false;
  }
  *why = fault_of_address(options);
  if (!why->empty()) return false;
  if (options.output.empty() || options.output == "-") return true;
  // Trying again would not help.
  if (is_endpoint(options.output)) return EndpointAddress::parse(options.output, why).has_value();
  *why = options.output +
         ": a file is complete only at the end of a trace; send to tcp://HOST:PORT or "
         "udp://HOST:PORT, or redirect standard output";
  return false;
}

ForwardResult forward_trace(trace::TraceFollower& follower, const EventChoice& choice,
                            const ConversionOptions& options, const OutputBytes::Sink& sink,
                            const std::function<bool()>& stop, const DiagnosticSink& report_now) {
  const ForeignFormat& format = *find_foreign_format(options.format);
  Forwarding forwarding(follower, choice, format.draws_spans, stop);
  ForwardResult& result = forwarding.result;
  std::string error;
  std::vector<interop::Diagnostic> faults;
  if (is_udp(options.output)) {
    const auto datagrams = DatagramSender::connect(options.output, format.first_packet, &error);
    if (datagrams != nullptr) {
      forwarding.run(format, [&](std::span<const std::byte> bytes) {
        const std::uint64_t refused = datagrams->refused();
        const bool written = datagrams->write(bytes);
        if (refused == 0 && datagrams->refused() != 0) {
          report_now(note(options.output + ": nothing listens there; sending goes on"));
        }
        return written;
      });
      result.sink_error = 0;
      if (!datagrams->finish(forwarding.report, &error)) result.doubtful = datagrams->refused();
    }
    if (!error.empty()) faults.push_back(failure(error));
  } else if (is_tcp(options.output)) {
    ForwardConnection connection(options.output, report_now);
    forwarding.run(format, connection);
    if (!result.any_sent) {
      faults.push_back(failure(fmt::format("{}; nothing was sent: {} records exist",
                                           connection.last_fault(), result.records)));
    } else if (result.doubtful != 0 || result.unsent != 0) {
      faults.push_back(damage(fmt::format(
          "{}: of {} records, {} were received by the receiver's system, {} were sent and may be "
          "lost, {} were not sent",
          options.output, result.records, result.records - result.doubtful - result.unsent,
          result.doubtful, result.unsent)));
    }
  } else {
    forwarding.run(format, sink);
  }
  result.diagnostics = forwarding.report.diagnostics();
  result.diagnostics.insert(result.diagnostics.end(), faults.begin(), faults.end());
  return std::move(result);
}

}  // namespace ringside::tool

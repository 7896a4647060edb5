#include "tools/interop/heph/heph_collector.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/heph/heph_datagrams.hpp"
#include "tools/interop/heph/heph_events.hpp"
#include "tools/interop/reader_reception.hpp"
#include "tools/interop/sender_collector.hpp"

namespace ringside::tool {
namespace heph {
namespace {

class ConnectionReceiver final : public Receiver {
 public:
  ConnectionReceiver(TraceBuilder& builder, ConversionReport& report,
                     const DiagnosticSink& report_now)
      : events_(builder, report), report_now_(report_now) {}

  std::unique_ptr<Reception> begin(const std::string& sender) override {
    auto source = std::make_shared<TraceSource>();
    source->host = host_of(sender);
    source->name = sender;
    return std::make_unique<ReaderReception>(
        sender, [this, source](InputBytes& input) { return read_source(input, events_, *source); },
        [this, sender](const ReadOutcome& outcome) {
          if (outcome.end != ReadEnd::kWhole) ++damaged_;
          for (const std::string& warning : outcome.warnings) {
            report_now_(note(fmt::format("{}: {}", sender, warning)));
          }
        },
        budget_);
  }

  void finish(ReadOutcome& outcome) override {
    events_.warn(outcome);
    if (damaged_ == 0) return;
    outcome.warnings.push_back(fmt::format(
        "{} senders sent incomplete or invalid data; the data before it is kept", damaged_));
  }

 private:
  EventImport events_;
  const DiagnosticSink& report_now_;
  ReceptionBudget budget_;
  std::uint64_t damaged_ = 0;
};

}  // namespace
}  // namespace heph

ReadOutcome collect_heph(const std::string& address, TraceBuilder& builder,
                         ConversionReport& report, const CollectorContext& context) {
  heph::ConnectionReceiver receiver(builder, report, context.report_now);
  return collect_from_senders(address, receiver, context);
}

ReadOutcome collect_heph_datagrams(const std::string& address, TraceBuilder& builder,
                                   ConversionReport& report, const CollectorContext& context) {
  heph::DatagramImport import(builder, report, context.report_now);
  return collect_datagrams(address, import, context);
}

}  // namespace ringside::tool

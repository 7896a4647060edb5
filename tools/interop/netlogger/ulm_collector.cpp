#include "tools/interop/netlogger/ulm_collector.hpp"

#include <memory>

#include <fmt/format.h>

#include "tools/interop/netlogger/netlogger_fields.hpp"
#include "tools/interop/netlogger/ulm_format.hpp"
#include "tools/interop/reader_reception.hpp"
#include "tools/interop/sender_collector.hpp"

namespace ringside::tool {
namespace ulm {
namespace {

class LineReceiver final : public Receiver {
 public:
  LineReceiver(TraceBuilder& builder, ConversionReport& report, const DiagnosticSink& report_now)
      : fields_(builder, report, "ulm"), report_now_(report_now) {}

  std::unique_ptr<Reception> begin(const std::string& sender) override {
    const std::uint32_t number = fields_.add_sender(sender);
    return std::make_unique<ReaderReception>(
        sender, [this, number](InputBytes& input) { return read_lines(input, fields_, number); },
        [this, sender](const ReadOutcome& outcome) {
          if (outcome.end != ReadEnd::kWhole) ++damaged_;
          for (const std::string& warning : outcome.warnings) {
            report_now_(note(fmt::format("{}: {}", sender, warning)));
          }
        },
        budget_);
  }

  void finish(ReadOutcome& outcome) override {
    fields_.end();
    if (damaged_ == 0) return;
    outcome.warnings.push_back(fmt::format(
        "{} senders sent incomplete or invalid data; the lines before it are kept", damaged_));
  }

 private:
  netlogger::FieldImport fields_;
  const DiagnosticSink& report_now_;
  ReceptionBudget budget_;
  std::uint64_t damaged_ = 0;
};

}  // namespace
}  // namespace ulm

ReadOutcome collect_ulm(const std::string& address, TraceBuilder& builder, ConversionReport& report,
                        const CollectorContext& context) {
  ulm::LineReceiver receiver(builder, report, context.report_now);
  return collect_from_senders(address, receiver, context);
}

}  // namespace ringside::tool

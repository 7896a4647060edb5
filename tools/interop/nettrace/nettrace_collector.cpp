#include "tools/interop/nettrace/nettrace_collector.hpp"

#include <memory>

#include <fmt/format.h>

#include "tools/interop/nettrace/nettrace_format.hpp"
#include "tools/interop/nettrace/nettrace_import.hpp"
#include "tools/interop/reader_reception.hpp"
#include "tools/interop/sender_collector.hpp"

namespace ringside::tool {
namespace nettrace {
namespace {

class StreamReceiver final : public Receiver {
 public:
  StreamReceiver(TraceBuilder& builder, ConversionReport& report, const DiagnosticSink& report_now)
      : builder_(builder), report_(report), report_now_(report_now) {}

  std::unique_ptr<Reception> begin(const std::string& sender) override {
    return std::make_unique<ReaderReception>(
        sender, [this](InputBytes& input) { return read_nettrace(input, builder_, report_); },
        [this, sender](const ReadOutcome& outcome) {
          if (outcome.end != ReadEnd::kWhole) ++damaged_;
          for (const std::string& warning : outcome.warnings) {
            report_now_(note(fmt::format("{}: {}", sender, warning)));
          }
        },
        budget_);
  }

  void finish(ReadOutcome& outcome) override {
    if (damaged_ == 0) return;
    outcome.warnings.push_back(fmt::format(
        "{} senders sent incomplete or invalid data; the events before it are kept", damaged_));
  }

 private:
  TraceBuilder& builder_;
  ConversionReport& report_;
  const DiagnosticSink& report_now_;
  ReceptionBudget budget_;
  std::uint64_t damaged_ = 0;
};

}  // namespace
}  // namespace nettrace

ReadOutcome collect_nettrace(const std::string& address, TraceBuilder& builder,
                             ConversionReport& report, const CollectorContext& context) {
  nettrace::StreamReceiver receiver(builder, report, context.report_now);
  return collect_from_senders(address, receiver, context);
}

}  // namespace ringside::tool

#include "tools/interop/tptp/tptp_collector.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/format_announcement.hpp"
#include "tools/interop/reader_reception.hpp"
#include "tools/interop/sender_collector.hpp"
#include "tools/interop/tptp/tptp_import.hpp"
#include "tools/interop/tptp/tptp_inspect.hpp"
#include "tools/interop/tptp/tptp_placement.hpp"

namespace ringside::tool::tptp {
namespace {

// The number of bytes that show whether a trace begins.
constexpr std::size_t kBeginning = 4;

// XML of any encoding: a tag, blanks, or a byte order mark; the parser checks the rest.
bool may_begin_trace(std::span<const std::byte> bytes) {
  constexpr std::string_view kXmlFirst("< \t\r\n\xEF\xFE\xFF\0", 9);
  return recognise_binary(bytes) ||
         kXmlFirst.find(static_cast<char>(bytes[0])) != std::string_view::npos;
}

class TraceReceiver final : public Receiver {
 public:
  TraceReceiver(TraceBuilder& builder, ConversionReport& report, std::string greeting,
                const DiagnosticSink& live)
      : builder_(builder),
        report_(report),
        placement_(builder, report),
        greeting_(std::move(greeting)),
        live_(live) {}

  std::unique_ptr<Reception> begin(const std::string& sender) override {
    return std::make_unique<ReaderReception>(
        sender,
        [this](InputBytes& input) {
          const auto beginning = input.peek(kBeginning);
          if (beginning.empty()) return ReadOutcome();
          if (beginning.size() < kBeginning) {
            return ReadOutcome::refused(
                0, fmt::format("ended after {} bytes, which are not a trace", beginning.size()));
          }
          if (!may_begin_trace(beginning)) {
            return ReadOutcome::refused(0, "not a TPTP trace: neither 0TBF nor XML");
          }
          return read_either_form(input, builder_, report_, placement_);
        },
        [this, sender](const ReadOutcome& outcome) {
          if (outcome.end != ReadEnd::kWhole) ++damaged_;
          for (const std::string& warning : outcome.warnings) {
            live_(note(fmt::format("{}: {}", sender, warning)));
          }
        },
        budget_);
  }
  std::string greeting() const override { return greeting_; }

  void finish(ReadOutcome& outcome) override {
    if (damaged_ == 0) return;
    outcome.warnings.push_back(fmt::format(
        "{} senders sent incomplete or invalid data; the data before it is kept", damaged_));
  }

 private:
  TraceBuilder& builder_;
  ConversionReport& report_;
  Placement placement_;
  std::string greeting_;
  const DiagnosticSink& live_;
  ReceptionBudget budget_;
  std::uint64_t damaged_ = 0;
};

}  // namespace

ReadOutcome collect_binary(const std::string& address, TraceBuilder& builder,
                           ConversionReport& report, const CollectorContext& context) {
  TraceReceiver receiver(builder, report, announcement_of("trcbin"), context.report_now);
  return collect_from_senders(address, receiver, context);
}

ReadOutcome collect_xml(const std::string& address, TraceBuilder& builder, ConversionReport& report,
                        const CollectorContext& context) {
  TraceReceiver receiver(builder, report, {}, context.report_now);
  return collect_from_senders(address, receiver, context);
}

}  // namespace ringside::tool::tptp

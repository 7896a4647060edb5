#include "tools/interop/tptp/tptp_collector.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/files/output_file.hpp"
#include "tools/interop/format_announcement.hpp"
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
    return std::make_unique<Sender>(*this, sender);
  }
  std::string greeting() const override { return greeting_; }
  std::size_t descriptors_of_reception() const override { return 1; }

  void finish(ReadOutcome& outcome) override {
    if (damaged_ == 0) return;
    outcome.warnings.push_back(fmt::format(
        "{} senders sent incomplete or invalid data; the data before it is kept", damaged_));
  }

 private:
  class Sender final : public Reception {
   public:
    Sender(TraceReceiver& all, std::string name)
        : all_(all), name_(std::move(name)), spool_(OutputFile::create_unnamed(&fault_, 0)) {}

    std::size_t take(std::span<const std::byte> bytes) override {
      if (!fault_.empty()) return bytes.size();
      if (spool_->bytes() == 0) {
        if (bytes.size() < kBeginning) return 0;
        if (!may_begin_trace(bytes)) {
          fault_ = "not a TPTP trace: neither 0TBF nor XML";
          return bytes.size();
        }
      }
      // The reason of a failed write is reported at the end.
      if (!spool_->write(bytes)) spool_->readable_path(&fault_);
      return bytes.size();
    }

    std::string fault() const override { return fault_; }

    std::string end(std::size_t left) override {
      if (left != 0) {
        ++all_.damaged_;
        return fmt::format("ended after {} bytes, which are not a trace", left);
      }
      if (spool_ == nullptr || spool_->bytes() == 0 || !fault_.empty()) return {};
      return all_.import(name_, *spool_);
    }

   private:
    TraceReceiver& all_;
    std::string name_;
    std::string fault_;
    std::unique_ptr<OutputFile> spool_;
  };

  // What is wrong; empty: nothing.
  std::string import(const std::string& sender, OutputFile& spool) {
    std::string error;
    const std::string path = spool.readable_path(&error);
    const auto input = path.empty() ? nullptr : InputBytes::open(path, &error);
    if (input == nullptr) {
      ++damaged_;
      return error;
    }
    const ReadOutcome outcome = read_either_form(*input, builder_, report_, placement_);
    for (const std::string& warning : outcome.warnings)
      live_(note(fmt::format("{}: {}", sender, warning)));
    if (outcome.end == ReadEnd::kWhole) return {};
    ++damaged_;
    return fmt::format("at byte {}: {}", outcome.offset, outcome.message);
  }

  TraceBuilder& builder_;
  ConversionReport& report_;
  Placement placement_;
  std::string greeting_;
  const DiagnosticSink& live_;
  std::uint64_t damaged_ = 0;
};

}  // namespace

ReadOutcome collect_binary(const std::string& address, TraceBuilder& builder,
                           ConversionReport& report, const DiagnosticSink& live) {
  TraceReceiver receiver(builder, report, announcement_of("trcbin"), live);
  return collect_from_senders(address, receiver, live);
}

ReadOutcome collect_xml(const std::string& address, TraceBuilder& builder, ConversionReport& report,
                        const DiagnosticSink& live) {
  TraceReceiver receiver(builder, report, {}, live);
  return collect_from_senders(address, receiver, live);
}

}  // namespace ringside::tool::tptp

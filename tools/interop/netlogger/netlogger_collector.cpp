#include "tools/interop/netlogger/netlogger_collector.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tools/interop/netlogger/netlogger_import.hpp"
#include "tools/interop/sender_collector.hpp"

namespace ringside::tool {
namespace netlogger {
namespace {

constexpr std::size_t kMostDefinitions = 65536;
// For the definitions of all senders.
constexpr std::size_t kMostSharedBytes = std::size_t{256} << 20;

class Collection final : public Receiver {
 public:
  Collection(TraceBuilder& builder, ConversionReport& report)
      : fields_(builder, report, "netlogger") {}

  std::unique_ptr<Reception> begin(const std::string& sender) override {
    return std::make_unique<Sender>(*this, sender);
  }

  void finish(ReadOutcome& outcome) override {
    fields_.end();
    const auto warn = [&outcome](std::uint64_t count, std::string_view what) {
      if (count != 0) outcome.warnings.push_back(fmt::format("{} {}", count, what));
    };
    warn(cut_, "senders ended within a message");
    warn(bad_, "bad messages were skipped");
    warn(unknown_, "messages with an undefined identifier were skipped");
  }

 private:
  class Sender final : public Reception {
   public:
    Sender(Collection& all, const std::string& name) : all_(all), import_(all.fields_, name) {}

    std::size_t take(std::span<const std::byte> bytes) override {
      const std::size_t before = import_.definition_bytes();
      const std::size_t taken = import_.take(bytes);
      all_.definition_bytes_ += import_.definition_bytes() - before;
      return taken;
    }

    std::string fault() const override {
      if (!import_.damage().empty()) return import_.damage();
      if (import_.definitions() > kMostDefinitions) {
        return fmt::format("more than {} identifiers", kMostDefinitions);
      }
      if (all_.definition_bytes_ > kMostSharedBytes) {
        return fmt::format("the definitions of all senders exceed {} MiB", kMostSharedBytes >> 20);
      }
      return {};
    }

    std::string end(std::size_t left) override {
      all_.bad_ += import_.bad();
      all_.unknown_ += import_.unknown();
      all_.definition_bytes_ -= import_.definition_bytes();
      if (left == 0) return {};
      ++all_.cut_;
      return fmt::format("ended within a message, after {} bytes of it", left);
    }

   private:
    Collection& all_;
    SenderImport import_;
  };

  FieldImport fields_;
  std::size_t definition_bytes_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace
}  // namespace netlogger

ReadOutcome collect_netlogger(const std::string& address, TraceBuilder& builder,
                              ConversionReport& report, const CollectorContext& context) {
  netlogger::Collection collection(builder, report);
  return collect_from_senders(address, collection, context);
}

}  // namespace ringside::tool

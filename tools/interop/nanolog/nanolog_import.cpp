#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/nanolog/nanolog_format.hpp"
#include "tools/interop/nanolog/nanolog_reader.hpp"

namespace ringside::tool {
namespace nanolog {
namespace {

shm::Level level_of(std::uint8_t severity) {
  constexpr shm::Level kLevels[] = {shm::Level::kNone, shm::Level::kError, shm::Level::kWarning,
                                    shm::Level::kNotice, shm::Level::kDebug};
  return severity < std::size(kLevels) ? kLevels[severity] : shm::Level::kNone;
}

SiteDefinition site_of(const Statement& statement) {
  SiteDefinition site;
  site.kind = shm::SiteKind::kLog;
  site.level = level_of(statement.severity);
  site.style = shm::FormatStyle::printf;
  site.line = statement.line;
  site.format = statement.format;
  site.file = statement.file;
  for (const shm::PrintfField& field : statement.fields) {
    FieldDefinition& f = site.fields.emplace_back();
    f.name = fmt::format("arg{}", site.fields.size() - 1);
    f.type = field.type;
    f.is_format_argument = field.role != shm::PrintfRole::value;
  }
  return site;
}

class Import final : public Visitor {
 public:
  Import(TraceBuilder& builder, ConversionReport& report) : builder_(builder), report_(report) {
    ProcessDefinition process;
    process.service = "nanolog";
    process_ = builder.add_process(process);
  }

  // A further run of the program, appended by the runtime, which defines its statements again.
  void checkpoint(std::uint64_t, const Checkpoint& checkpoint) override {
    clock_ = Clock(checkpoint);
    sites_.clear();
  }

  void statements(std::uint64_t, std::uint32_t, std::span<const Statement> more) override {
    for (const Statement& statement : more) {
      Key key{statement.file, statement.line, statement.severity, statement.format};
      const auto place = known_.find(key);
      std::uint32_t site = place == known_.end() ? 0 : place->second;
      if (site == 0 && statement.fields.ok() && builder_.sites() < TraceBuilder::kMostSites) {
        site = builder_.add_site(site_of(statement));
        known_.emplace(std::move(key), site);
      }
      sites_.push_back(site);
    }
  }

  void extent(const Extent& extent) override {
    const auto [place, is_new] = streams_.try_emplace(extent.thread, 0);
    if (is_new && streams_.size() <= TraceBuilder::kMostStreams) {
      place->second = builder_.add_stream(process_, {extent.thread, ""});
    }
    stream_ = place->second;
  }

  void record(std::uint32_t statement, std::uint64_t cycles, const Arguments& arguments) override {
    const std::uint32_t site = sites_[statement];
    if (site == 0) return report_.lost("statements after the millionth are left out");
    builder_.begin(stream_, site, clock_.unix_ns(cycles));
    builder_.put_values(arguments.ring_bytes());
    builder_.end();
  }

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint8_t, std::string>;

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::uint32_t process_ = 0;
  Clock clock_{Checkpoint()};
  std::map<Key, std::uint32_t> known_;
  std::vector<std::uint32_t> sites_;  // by statement
  std::unordered_map<std::uint32_t, std::uint32_t> streams_;
  std::uint32_t stream_ = 0;
};

}  // namespace
}  // namespace nanolog

bool recognise_nanolog(std::span<const std::byte> first_bytes) {
  return nanolog::is_checkpoint(first_bytes);
}

ReadOutcome read_nanolog(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  nanolog::Import import(builder, report);
  return nanolog::read_file(input, import);
}

}  // namespace ringside::tool

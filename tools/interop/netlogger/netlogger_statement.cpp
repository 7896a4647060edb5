#include "tools/interop/netlogger/netlogger_statement.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "shm-layout/level.hpp"
#include "tools/interop/netlogger/netlogger_level.hpp"
#include "tools/interop/netlogger/netlogger_messages.hpp"

namespace ringside::tool::netlogger {
namespace {

using shm::FieldType;

class StatementMaker {
 public:
  explicit StatementMaker(Statement& statement) : statement_(statement) {
    statement.texts.reserve(kMostTexts);  // they must not move
  }

  void text(std::string_view name, std::string_view value) {
    statement_.texts.emplace_back(value);
    add(name, trace::Value::of_text(FieldType::string, statement_.texts.back()));
  }
  void text_unless_empty(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void number(std::string_view name, std::uint64_t value) {
    add(name, trace::Value::of_unsigned(FieldType::u64, value));
  }
  void add(std::string_view name, const trace::Value& value) {
    statement_.constants.push_back({std::string(name), value});
  }

 private:
  static constexpr std::size_t kMostTexts = 16;

  Statement& statement_;
};

void add_process(const trace::SegmentInfo& segment, StatementMaker& maker) {
  maker.text_unless_empty(kHostName, segment.host);
  // The names that an import uses by default.
  if (segment.service != "netlogger" && segment.service != "ulm") {
    maker.text_unless_empty(kProgramName, segment.service);
  }
  if (segment.pid != 0) maker.number(kPidName, segment.pid);
}

// By a constant field.
bool tells_level(const trace::Site& site) {
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const trace::Value& value = site.initial_values[i];
    if (site.fields[i].is_constant() && site.fields[i].name == kLevelName &&
        value.type == FieldType::string && level_of(value.text) == site.level) {
      return true;
    }
  }
  return false;
}

bool has_field(const trace::Site& site, std::string_view name) {
  return std::any_of(site.fields.begin(), site.fields.end(),
                     [&](const trace::Field& field) { return field.name == name; });
}

void add_level(const trace::Site& site, LevelOfInfo info, StatementMaker& maker) {
  const bool is_wanted = site.level != shm::Level::kInfo ||
                         (info == LevelOfInfo::kTold && !has_field(site, kLevelName));
  if (is_wanted && !tells_level(site)) maker.text(kLevelName, shm::level_name(site.level));
}

// Ringside's own facts.
void add_site(const trace::Site& site, StatementMaker& maker) {
  if (site.kind != shm::SiteKind::kEvent) {
    maker.number(kKindName, static_cast<std::uint8_t>(site.kind));
  }
  maker.text_unless_empty(kCategoryName, site.category);
  if (site.format != site.name) maker.text(kFormatName, site.format);
  if (site.style != 0) maker.number(kStyleName, site.style);
  maker.text_unless_empty(kFileName, site.file);
  if (site.line != 0) maker.number(kLineName, site.line);
  maker.text_unless_empty(kFunctionName, site.function);
  if (site.keywords != 0) maker.text(kKeywordsName, fmt::format("{}", site.keywords));
}

}  // namespace

Statement& Statements::of(const trace::Event& event) {
  const bool is_loss = event.kind != trace::EventKind::kRecord;
  const std::uint32_t id = is_loss ? 0 : event.record.site->id;
  const std::uint64_t key = std::uint64_t{event.section} << 32 | id;
  if (last_ != nullptr && last_key_ == key) return *last_;
  const auto [place, is_new] = statements_.try_emplace(key);
  last_key_ = key;
  last_ = &place->second;
  if (!is_new) return *last_;
  Statement& statement = *last_;
  StatementMaker maker(statement);
  std::size_t essential = 0;
  std::size_t facts = 0;
  if (is_loss) {
    maker.text(kEventName, kLossEvent);
    add_process(*event.segment, maker);
    if (info_ == LevelOfInfo::kTold) maker.text(kLevelName, shm::level_name(shm::Level::kWarning));
  } else {
    const trace::Site& site = *event.record.site;
    maker.text_unless_empty(kEventName, site.name);
    add_process(*event.segment, maker);
    add_level(site, info_, maker);
    essential = statement.constants.size();
    add_site(site, maker);
    facts = statement.constants.size() - essential;
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      if (site.fields[i].is_constant()) {
        maker.add(site.fields[i].name, site.initial_values[i]);
      } else {
        statement.fields.push_back(i);
        statement.names.push_back(site.fields[i].name);
      }
    }
  }
  statement.names.insert(statement.names.end(), kExtraNames.begin(), kExtraNames.end());
  keep_to_limit(statement, essential, facts);
  return statement;
}

// The first `essential` constants are kept; the `facts` after them go first.
void Statements::keep_to_limit(Statement& statement, std::size_t essential, std::size_t facts) {
  if (statement.constants.size() + statement.names.size() <= most_fields_) return;
  auto& constants = statement.constants;
  statement.has_extras = false;
  statement.loses_fields = facts != 0;
  const auto first = constants.begin() + static_cast<std::ptrdiff_t>(essential);
  constants.erase(first, first + static_cast<std::ptrdiff_t>(facts));
  const std::size_t all = constants.size() + statement.fields.size();
  if (all <= most_fields_) return;
  statement.loses_fields = true;
  constants.resize(std::min(constants.size(), most_fields_));
  statement.fields.resize(std::min(statement.fields.size(), most_fields_ - constants.size()));
  statement.names.erase(
      statement.names.begin() + static_cast<std::ptrdiff_t>(statement.fields.size()),
      statement.names.end() - static_cast<std::ptrdiff_t>(kExtraNames.size()));
}

std::uint32_t Statements::extras_of(const trace::Event& event) {
  std::uint32_t extras = event.stream->thread_id != 0 ? 1U : 0U;
  if (event.kind != trace::EventKind::kRecord) return extras | 1U << 6 | 1U << 7;
  const std::uint32_t flags = event.record.ext_flags;
  if (flags == 0) return extras;
  extras |= (flags & shm::kExtDuration) != 0 ? 1U << 1 : 0U;
  extras |= (flags & shm::kExtSubstream) != 0 ? 1U << 2 : 0U;
  extras |= (flags & shm::kExtActivity) != 0 ? 1U << 3 : 0U;
  extras |= (flags & shm::kExtRelatedActivity) != 0 ? 1U << 4 : 0U;
  extras |= (flags & shm::kExtStack) != 0 ? 1U << 5 : 0U;
  return extras;
}

trace::Value Statements::hex(const std::array<std::uint8_t, 16>& id, std::string& text) {
  text.clear();
  for (const std::uint8_t byte : id) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return trace::Value::of_text(FieldType::string, text);
}

std::uint64_t Statements::duration_ns(const trace::Event& event) {
  const std::uint64_t hz = event.segment->tick_hz;
  if (hz == 0 || hz == 1'000'000'000) return event.record.duration;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{event.record.duration} * 1'000'000'000 / hz);
}

}  // namespace ringside::tool::netlogger

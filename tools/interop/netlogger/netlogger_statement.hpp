#pragma once
// Converts Ringside's records to lists of named fields, which netlogger_fields.hpp converts back.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shm-layout/record_head.hpp"
#include "tools/interop/netlogger/netlogger_fields.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::netlogger {

// After a statement's own fields, the fields that few records have, in this order.
inline constexpr std::array<std::string_view, 8> kExtraNames{
    kThreadName,  kDurationName, kSubstreamName, kActivityName,
    kRelatedName, kStackName,    kLostName,      kCauseName};

// What is constant for all records of a statement.
struct Statement {
  struct Constant {
    std::string name;
    trace::Value value;  // its text is valid as long as `texts`
  };
  std::vector<Constant> constants;
  std::vector<std::string> texts;
  std::vector<std::size_t> fields;      // of the site, without constants
  std::vector<std::string_view> names;  // names of these fields, then kExtraNames
  bool has_extras = true;               // false: no room for them
  bool loses_fields = false;            // some fields or facts have no room either
  // For the writer of a format.
  std::vector<std::uint8_t> types;  // one for each name
  bool has_extended_constants = false;
  std::unordered_map<std::uint32_t, std::uint32_t> identifiers;
  std::string line;
  std::vector<std::string> labels;  // one for each name
  std::uint32_t losses = 0;         // bits: what each of its records loses
};

// Whether the level INFO, the default of a statement, is also written.
enum class LevelOfInfo : std::uint8_t { kTold, kLeftOut };

class Statements {
 public:
  // `most_fields` of an event, constants and extra fields included. What is beyond them is left
  // out, Ringside's own facts first.
  explicit Statements(LevelOfInfo info, std::size_t most_fields = SIZE_MAX)
      : info_(info), most_fields_(most_fields) {}

  // The statement of a record or a loss. Valid as long as this object.
  Statement& of(const trace::Event& event);

  // Visit(index in Statement::names, value) for each value of the event.
  template <class Visit>
  void visit(const trace::Event& event, const Statement& statement, Visit&& visit);

  // The bits of those of kExtraNames that the event has; those that its statement has room for.
  static std::uint32_t extras_of(const trace::Event& event);
  static std::uint32_t extras_of(const trace::Event& event, const Statement& statement) {
    return statement.has_extras ? extras_of(event) : 0;
  }

 private:
  static trace::Value hex(const std::array<std::uint8_t, 16>& id, std::string& text);
  static std::uint64_t duration_ns(const trace::Event& event);

  void keep_to_limit(Statement& statement, std::size_t essential, std::size_t facts);

  LevelOfInfo info_;
  std::size_t most_fields_;
  std::unordered_map<std::uint64_t, Statement> statements_;
  Statement* last_ = nullptr;
  std::uint64_t last_key_ = 0;
  std::string activity_;
};

template <class Visit>
void Statements::visit(const trace::Event& event, const Statement& statement, Visit&& visit) {
  using shm::FieldType;
  std::size_t index = 0;
  if (event.kind == trace::EventKind::kRecord) {
    for (; index < statement.fields.size(); ++index) {
      visit(index, event.record.args[statement.fields[index]]);
    }
  }
  const auto number = [](std::uint64_t value) {
    return trace::Value::of_unsigned(FieldType::u64, value);
  };
  const trace::Record& record = event.record;
  for (std::uint32_t extras = extras_of(event, statement); extras != 0; extras &= extras - 1) {
    const auto extra = static_cast<std::size_t>(__builtin_ctz(extras));
    switch (extra) {
      case 0:
        visit(index, number(event.stream->thread_id));
        break;
      case 1:
        visit(index + 1, number(duration_ns(event)));
        break;
      case 2:
        visit(index + 2, number(record.substream));
        break;
      case 3:
        visit(index + 3, hex(record.activity, activity_));
        break;
      case 4:
        visit(index + 4, hex(record.related, activity_));
        break;
      case 5:
        visit(index + 5, number(record.stack_id));
        break;
      case 6:
        visit(index + 6, number(event.lost));
        break;
      default:
        visit(index + 7, number(static_cast<std::uint32_t>(event.cause)));
    }
  }
}

}  // namespace ringside::tool::netlogger

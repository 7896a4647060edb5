// Converts Ringside traces to Universal Logger Messages.

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "tools/interop/netlogger/netlogger_messages.hpp"
#include "tools/interop/netlogger/netlogger_statement.hpp"
#include "tools/interop/netlogger/ulm_date.hpp"
#include "tools/interop/netlogger/ulm_format.hpp"
#include "tools/interop/netlogger/ulm_reader.hpp"
#include "tools/interop/netlogger/ulm_text.hpp"
#include "tools/interop/netlogger/ulm_values.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::tool {
namespace ulm {
namespace {

using netlogger::Statement;
using shm::FieldType;

enum Loss : std::uint8_t {
  kOtherName,
  kKnownName,
  kArrayText,
  kWideText,
  kOtherText,
  kRounded,
  kFarTime,
  kThreadNameLeft,
};
constexpr std::array<std::string_view, 8> kLosses{
    "characters in fields' names became '_': blanks, quotes, backslashes, '=' and control "
    "characters",
    "fields have names that are reserved in ULM and can be misread",
    "arrays became texts",
    "integers of more than 64 bits became texts",
    "characters, bytes, pointers and enumerations became texts",
    "floating-point numbers were rounded to 64 bits",
    "times after the year 2261 became unknown",
    "names of threads are left out: ULM has no place for them"};
constexpr std::uint64_t kMostTime = 9'214'646'400'000'000'000;  // 2262-01-01

bool means_something(std::string_view name) {
  const auto& extras = netlogger::kExtraNames;
  return is_statement_name(name) || name == kDateName || name == kNanosecondsName ||
         std::find(extras.begin(), extras.end(), name) != extras.end();
}

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report) : output_(output), report_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    Statement& statement = statements_.of(event);
    if (statement.labels.empty()) prepare(event, statement);
    for (std::uint32_t left = statement.losses; left != 0; left &= left - 1) {
      ++lost_[static_cast<std::size_t>(__builtin_ctz(left))];
    }
    if (!event.stream->thread_name.empty()) ++lost_[kThreadNameLeft];
    line_.clear();
    const bool has_time = event.unix_ns < kMostTime;
    if (has_time) {
      dates_.put(line_, static_cast<std::int64_t>(event.unix_ns));
    } else {
      ++lost_[kFarTime];
    }
    line_.write(statement.line);
    statements_.visit(event, statement, [&](std::size_t index, const trace::Value& value) {
      line_.write(statement.labels[index]);
      put_value(value);
    });
    const std::uint64_t nanoseconds = event.unix_ns % 1000;
    if (has_time && nanoseconds != 0) {
      line_.write(" ringside.ns=");
      put_integer(line_, nanoseconds);
    }
    if (line_.size() == 0) line_.write("NL.EVNT=\"\"");  // an empty line would be skipped
    line_.put('\n');
    const std::string_view line = line_.text();
    output_.put(line.substr(line.front() == ' ' ? 1 : 0));
  }

  void end() override {
    for (std::size_t i = 0; i < lost_.size(); ++i) {
      if (lost_[i] != 0) report_.lost(kLosses[i], lost_[i]);
    }
  }

 private:
  // What the lines of all its records share.
  void prepare(const trace::Event& event, Statement& statement) {
    const auto before = std::exchange(lost_, {});
    put_constants(statement);
    for (const std::string_view name : statement.names) {
      statement.labels.push_back(label_of(name));
    }
    if (event.kind == trace::EventKind::kRecord) {
      for (const auto& field : event.record.site->fields) {
        // A level that is not Ringside's is a constant field, and becomes LVL again.
        const bool is_level = field.is_constant() && field.name == netlogger::kLevelName;
        if (!is_level && means_something(field.name)) ++lost_[kKnownName];
      }
    }
    for (std::size_t i = 0; i < lost_.size(); ++i) {
      if (lost_[i] != 0) statement.losses |= 1U << i;
    }
    lost_ = before;
  }

  void put_constants(Statement& statement) {
    line_.clear();
    const auto is_first = [](std::string_view name) {
      return name == netlogger::kHostName || name == netlogger::kProgramName ||
             name == netlogger::kLevelName;
    };
    // As in all texts on ULM: host, program and level, then the event.
    for (const bool first : {true, false}) {
      for (const Statement::Constant& constant : statement.constants) {
        if (is_first(constant.name) != first) continue;
        line_.write(label_of(constant.name));
        put_value(constant.value);
      }
    }
    statement.line = line_.text();
  }

  std::string label_of(std::string_view name) {
    std::string label;
    append_name(label, name);
    if (label.size() != name.size() + 1 || label.substr(0, name.size()) != name) {
      ++lost_[kOtherName];
    }
    return ' ' + label;
  }

  void put_value(const trace::Value& value) {
    switch (value.type) {
      case FieldType::boolean:
      case FieldType::u8:
      case FieldType::u16:
      case FieldType::u32:
      case FieldType::u64:
        return put_integer(line_, value.u64);
      case FieldType::i8:
      case FieldType::i16:
      case FieldType::i32:
      case FieldType::i64:
        return put_integer(line_, value.i64);
      case FieldType::f32:
        return put_float(line_, value.f32);
      case FieldType::f64:
        return put_float(line_, value.f64);
      case FieldType::f80: {
        const long double exact = value.as_f80().value_or(0);
        const auto number = static_cast<double>(exact);
        if (static_cast<long double>(number) != exact && exact == exact) ++lost_[kRounded];
        return put_float(line_, number);
      }
      case FieldType::string:
        return put_text(line_, value.text);
      case FieldType::character: {
        ++lost_[kOtherText];
        const char character = static_cast<char>(value.u64);
        return put_text(line_, {&character, 1});
      }
      default:
        break;
    }
    ++lost_[shm::is_array(value.type)     ? kArrayText
            : shm::is_integer(value.type) ? kWideText
                                          : kOtherText];
    if (value.type == FieldType::bytes ||
        (value.type == FieldType::enumeration && !value.text.empty())) {
      return put_text(line_, value.text);
    }
    text_.clear();
    trace::write_value(text_, value);
    put_text(line_, text_.text());
  }

  OutputBytes& output_;
  ConversionReport& report_;
  // ULM requires a level in each line.
  netlogger::Statements statements_{netlogger::LevelOfInfo::kTold};
  DateWriter dates_;
  trace::TextSink line_;
  trace::TextSink text_;
  std::array<std::uint64_t, kLosses.size()> lost_{};
};

}  // namespace
}  // namespace ulm

std::unique_ptr<TraceWriter> write_ulm(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<ulm::Writer>(output, report);
}

}  // namespace ringside::tool

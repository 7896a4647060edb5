// Converts Ringside traces to NetLogger's binary messages.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "tools/interop/netlogger/netlogger_format.hpp"
#include "tools/interop/netlogger/netlogger_messages.hpp"
#include "tools/interop/netlogger/netlogger_statement.hpp"
#include "tools/interop/netlogger/netlogger_value_types.hpp"
#include "trace-format/lines/utf8.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::tool {
namespace netlogger {
namespace {

using shm::FieldType;

enum Loss : std::uint8_t {
  kCutText,
  kRounded,
  kWideInteger,
  kArrayText,
  kFarTime,
  kThreadNameLeft,
  kOtherText,
  kFieldsLeft,
  kRoundedTo64,
  kVeryWideInteger,
};
constexpr std::array<std::string_view, 10> kLosses{
    "texts are truncated after 255 bytes",
    "floating-point numbers were rounded to 32 bits",
    "integers of more than 32 bits became texts",
    "arrays became texts",
    "times after the year 2104 became unknown",
    "names of threads are left out: NetLogger has no place for them",
    "characters, bytes, pointers, enumerations and large floating-point numbers became texts",
    "fields beyond the 255 of an event are left out, Ringside's own facts first",
    "floating-point numbers were rounded to 64 bits",
    "integers of more than 64 bits became texts"};

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report, TypeChoice choice)
      : output_(output), report_(report), choice_(choice) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    Statement& statement = statements_.of(event);
    if (statement.types.empty()) prepare(statement);
    if (!event.stream->thread_name.empty()) ++lost_[kThreadNameLeft];
    const bool loses_extras = !statement.has_extras && Statements::extras_of(event) != 0;
    if (statement.loses_fields || loses_extras) ++lost_[kFieldsLeft];
    // If a value does not fit the type of its field, the field has a wider type from then on, with
    // a new header.
    for (const auto before = lost_; !make_body(event, statement); lost_ = before) {
      statement.identifiers.clear();
    }
    const std::uint32_t extras = Statements::extras_of(event, statement);
    std::uint32_t& identifier = statement.identifiers[extras];
    if (identifier == 0) {
      identifier = next_identifier_++;
      put_header(event, statement, identifier);
    }
    std::memcpy(body_.data() + 4, &identifier, sizeof identifier);
    output_.put(body_);
  }

  void end() override {
    for (std::size_t i = 0; i < lost_.size(); ++i) {
      if (lost_[i] != 0) report_.lost(kLosses[i], lost_[i]);
    }
  }

 private:
  static constexpr std::uint8_t kMajor = 1;
  static constexpr std::size_t kBodyBytes = 16;    // before the values
  static constexpr std::size_t kHeaderBytes = 11;  // before the names

  // How long each text may be so that a message of texts fits the 16 bits of its length.
  static std::size_t text_bytes_for(std::size_t fixed, std::size_t names, std::size_t values) {
    const std::size_t texts = std::max<std::size_t>(names + values, 1);
    return std::min(kMostTextBytes, (kMostMessageBytes - fixed - names - 2 * values) / texts);
  }

  template <class Number>
  static void append(std::string& out, Number number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  static void set_length(std::string& message) {
    const auto length = static_cast<std::uint16_t>(message.size());
    std::memcpy(message.data(), &length, sizeof length);
  }

  void prepare(Statement& statement) const {
    statement.types.resize(statement.names.size());
    statement.has_extended_constants =
        std::any_of(statement.constants.begin(), statement.constants.end(),
                    [this](const Statement::Constant& constant) {
                      return type_of(constant.value, choice_) > kString;
                    });
  }

  // False if a value does not fit the type that its field has had until now.
  bool make_body(const trace::Event& event, Statement& statement) {
    body_.clear();
    most_text_bytes_ = text_bytes_for(kBodyBytes, 0, std::min(statement.names.size(), kMostFields));
    append(body_, std::uint16_t{0});
    body_ += static_cast<char>(kMajor);
    body_ += '\0';
    append(body_, std::uint32_t{0});  // the identifier
    std::uint32_t seconds = 0;
    std::uint32_t fraction = 0;
    if (!ntp_of(event.unix_ns, seconds, fraction)) ++lost_[kFarTime];
    append(body_, seconds);
    append(body_, fraction);
    bool fits = true;
    is_extended_ = statement.has_extended_constants;
    statements_.visit(event, statement, [&](std::size_t index, const trace::Value& value) {
      std::uint8_t& type = statement.types[index];
      const std::uint8_t wanted = type_of_both(type, type_of(value, choice_));
      fits = fits && (wanted == type || type == 0);
      type = wanted;
      is_extended_ = is_extended_ || type > kString;
      const std::uint64_t wide = lost_[kWideInteger];
      append_value(body_, type, value);
      // Fields after the statement's own are read as numbers again.
      if (index >= statement.fields.size()) lost_[kWideInteger] = wide;
    });
    body_[3] = static_cast<char>(minor());
    set_length(body_);
    return fits;
  }

  void put_header(const trace::Event& event, const Statement& statement, std::uint32_t identifier) {
    header_.clear();
    const std::size_t constant_count = statement.constants.size();
    const std::size_t name_count = constant_count + statement.names.size();
    most_text_bytes_ = text_bytes_for(kHeaderBytes, name_count, constant_count);
    append(header_, std::uint16_t{0});
    header_ += static_cast<char>(kHeaderFlag | kMajor);
    header_ += static_cast<char>(minor());
    append(header_, identifier);
    header_ += static_cast<char>(kLittleEndian);
    header_ += '\0';
    header_ += static_cast<char>(statement.constants.size());
    for (const Statement::Constant& constant : statement.constants) {
      append_text(header_, constant.name);
    }
    std::size_t fields = statement.constants.size();
    statements_.visit(event, statement, [&](std::size_t index, const trace::Value&) {
      append_text(header_, statement.names[index]);
      ++fields;
    });
    header_[9] = static_cast<char>(fields);
    for (const Statement::Constant& constant : statement.constants) {
      append_value(header_, type_of(constant.value, choice_), constant.value);
    }
    set_length(header_);
    output_.put(header_);
  }

  void append_value(std::string& out, std::uint8_t type, const trace::Value& value) {
    out += static_cast<char>(type);
    if (type == kInt || type == kUint32) return append(out, static_cast<std::uint32_t>(value.u64));
    if (type == kInt64 || type == kUint64) return append(out, value.u64);
    if (type == kFloat) return append_float(out, *floating(value));
    if (type == kDouble) return append_double(out, value);
    const bool is_name = value.type == FieldType::enumeration && !value.text.empty();
    if (value.type == FieldType::string || value.type == FieldType::bytes || is_name) {
      lost_[kOtherText] += value.type == FieldType::string ? 0U : 1U;
      return append_text(out, value.text);
    }
    if (value.type == FieldType::character) {
      ++lost_[kOtherText];
      const char character = static_cast<char>(value.u64);
      return append_text(out, {&character, 1});
    }
    ++lost_[loss_of_text(value.type)];
    text_.clear();
    trace::write_value(text_, value);
    append_text(out, text_.text());
  }

  void append_float(std::string& out, double number) {
    const auto rounded = static_cast<float>(number);
    if (static_cast<double>(rounded) != number && !std::isnan(number)) ++lost_[kRounded];
    append(out, rounded);
  }

  void append_double(std::string& out, const trace::Value& value) {
    const double number = *floating(value);
    const bool is_rounded = value.type == FieldType::f80 &&
                            static_cast<long double>(number) != value.as_f80().value_or(0);
    if (is_rounded && !std::isnan(number)) ++lost_[kRoundedTo64];
    append(out, number);
  }

  // Of a value that is written as text.
  static Loss loss_of_text(FieldType type) {
    if (shm::is_array(type)) return kArrayText;
    if (type == FieldType::i128 || type == FieldType::u128) return kVeryWideInteger;
    return shm::is_integer(type) ? kWideInteger : kOtherText;
  }

  std::uint8_t minor() const { return is_extended_ ? kMinorOfExtension : 0; }

  void append_text(std::string& out, std::string_view text) {
    std::size_t bytes = text.size();
    if (bytes > most_text_bytes_) {
      ++lost_[kCutText];
      // Avoids a cut within a character, if the bytes are text at all.
      for (bytes = most_text_bytes_; bytes > most_text_bytes_ - 4; --bytes) {
        if ((static_cast<unsigned char>(text[bytes]) & 0xC0U) != 0x80) break;
      }
    }
    out += static_cast<char>(bytes);
    out += text.substr(0, bytes);
  }

  OutputBytes& output_;
  ConversionReport& report_;
  Statements statements_{LevelOfInfo::kLeftOut, kMostFields};
  TypeChoice choice_;
  bool is_extended_ = false;                      // the present message has extension types
  std::size_t most_text_bytes_ = kMostTextBytes;  // in it
  std::string body_;
  std::string header_;
  trace::TextSink text_;
  std::uint32_t next_identifier_ = 1;
  std::array<std::uint64_t, kLosses.size()> lost_{};
};

}  // namespace
}  // namespace netlogger

std::unique_ptr<TraceWriter> write_netlogger(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<netlogger::Writer>(output, report, netlogger::TypeChoice::kExtended);
}

std::unique_ptr<TraceWriter> write_netlogger_1_0(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<netlogger::Writer>(output, report, netlogger::TypeChoice::kOfThePaper);
}

}  // namespace ringside::tool

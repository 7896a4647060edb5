// Converts Ringside traces to NetLogger's binary messages.

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tools/interop/netlogger/netlogger_format.hpp"
#include "tools/interop/netlogger/netlogger_messages.hpp"
#include "tools/interop/netlogger/netlogger_statement.hpp"
#include "tools/text/utf8.hpp"
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
};
constexpr std::array<std::string_view, 7> kLosses{
    "texts are truncated after 255 bytes",
    "floating-point numbers were rounded to 32 bits",
    "integers of more than 32 bits became texts",
    "arrays became texts",
    "times after the year 2104 became unknown",
    "names of threads are left out: NetLogger has no place for them",
    "characters, bytes, pointers, enumerations and large floating-point numbers became texts"};

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report) : output_(output), report_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    Statement& statement = statements_.of(event);
    statement.types.resize(statement.names.size());
    if (!event.stream->thread_name.empty()) ++lost_[kThreadNameLeft];
    // If a value does not fit the type of its field, the field is a text from then on, with a new
    // header.
    for (const auto before = lost_; !make_body(event, statement); lost_ = before) {
      statement.identifiers.clear();
    }
    const std::uint32_t extras = Statements::extras_of(event);
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

  template <class Number>
  static void append(std::string& out, Number number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  static void set_length(std::string& message) {
    const auto length = static_cast<std::uint16_t>(message.size());
    std::memcpy(message.data(), &length, sizeof length);
  }

  // False if a value does not fit the type that its field has had until now.
  bool make_body(const trace::Event& event, Statement& statement) {
    body_.clear();
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
    statements_.visit(event, statement, [&](std::size_t index, const trace::Value& value) {
      std::uint8_t& type = statement.types[index];
      const std::uint8_t wanted = type == kString ? kString : type_of(value);
      fits = fits && (wanted == type || type == 0);
      type = wanted;
      const std::uint64_t wide = lost_[kWideInteger];
      append_value(body_, type, value);
      // Fields after the statement's own are read as numbers again.
      if (index >= statement.fields.size()) lost_[kWideInteger] = wide;
    });
    set_length(body_);
    return fits;
  }

  void put_header(const trace::Event& event, const Statement& statement, std::uint32_t identifier) {
    header_.clear();
    append(header_, std::uint16_t{0});
    header_ += static_cast<char>(kHeaderFlag | kMajor);
    header_ += '\0';
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
      append_value(header_, type_of(constant.value), constant.value);
    }
    set_length(header_);
    output_.put(header_);
  }

  static bool is_narrow(const trace::Value& value) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (value.type == FieldType::u32 || value.type == FieldType::u64) return value.u64 <= kMost;
    return value.i64 == static_cast<std::int32_t>(value.i64);
  }

  static std::optional<double> floating(const trace::Value& value) {
    if (value.type == FieldType::f32) return static_cast<double>(value.f32);
    if (value.type == FieldType::f64) return value.f64;
    if (value.type == FieldType::f80) return static_cast<double>(value.as_f80().value_or(0));
    return std::nullopt;
  }

  // The type in the encoding for this value.
  static std::uint8_t type_of(const trace::Value& value) {
    switch (value.type) {
      case FieldType::boolean:
      case FieldType::i8:
      case FieldType::i16:
      case FieldType::i32:
      case FieldType::u8:
      case FieldType::u16:
        return kInt;
      case FieldType::i64:
      case FieldType::u32:
      case FieldType::u64:
        return is_narrow(value) ? kInt : kString;
      case FieldType::f32:
        return kFloat;
      case FieldType::f64:
      case FieldType::f80: {
        const double number = *floating(value);
        const bool fits = !std::isfinite(number) || std::isfinite(static_cast<float>(number));
        return fits ? kFloat : kString;
      }
      default:
        return kString;
    }
  }

  void append_value(std::string& out, std::uint8_t type, const trace::Value& value) {
    out += static_cast<char>(type);
    if (type == kInt) return append(out, static_cast<std::uint32_t>(value.u64));
    if (type == kFloat) return append_float(out, *floating(value));
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
    const bool integer = shm::is_integer(value.type);
    ++lost_[shm::is_array(value.type) ? kArrayText : integer ? kWideInteger : kOtherText];
    text_.clear();
    trace::write_value(text_, value);
    append_text(out, text_.text());
  }

  void append_float(std::string& out, double number) {
    const auto rounded = static_cast<float>(number);
    if (static_cast<double>(rounded) != number && !std::isnan(number)) ++lost_[kRounded];
    append(out, rounded);
  }

  void append_text(std::string& out, std::string_view text) {
    std::size_t bytes = text.size();
    if (bytes > kMostTextBytes) {
      ++lost_[kCutText];
      // Avoids a cut within a character, if the bytes are text at all.
      for (bytes = kMostTextBytes; bytes > kMostTextBytes - 4; --bytes) {
        if ((static_cast<unsigned char>(text[bytes]) & 0xC0U) != 0x80) break;
      }
    }
    out += static_cast<char>(bytes);
    out += text.substr(0, bytes);
  }

  OutputBytes& output_;
  ConversionReport& report_;
  Statements statements_{LevelOfInfo::kLeftOut};
  std::string body_;
  std::string header_;
  trace::TextSink text_;
  std::uint32_t next_identifier_ = 1;
  std::array<std::uint64_t, kLosses.size()> lost_{};
};

}  // namespace
}  // namespace netlogger

std::unique_ptr<TraceWriter> write_netlogger(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<netlogger::Writer>(output, report);
}

}  // namespace ringside::tool

// A literal is found in the messages that contain it, and in no others, with random formats, values
// and literals, compared with the message's text.
#include "trace-format/text/message_literal.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/printf_fields.hpp"
#include "trace-format/text/literal_finder.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;
using Answer = MessageLiteral::Answer;

class RandomMessages {
 public:
  explicit RandomMessages(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  // A format in one of the three styles. Short texts of few characters, so that literals often
  // begin in one part of a message and end in the next.
  std::shared_ptr<const MessageFormat> next_format() {
    fields_.clear();
    format_.clear();
    const auto style = static_cast<shm::FormatStyle>(below(3));
    const std::uint64_t values = below(5);
    for (std::uint64_t i = 0; i < values; ++i) {
      if (style != shm::FormatStyle::none || i == 0) format_ += piece();
      if (style == shm::FormatStyle::printf) add_printf();
      if (style == shm::FormatStyle::brace) add_brace();
      if (style == shm::FormatStyle::none) fields_.push_back({"a1", any_type()});
    }
    if (style != shm::FormatStyle::none) format_ += piece();
    if (style == shm::FormatStyle::printf) {
      const shm::FieldList list = shm::printf_fields(format_);
      for (std::size_t i = 0; i < list.count; ++i) fields_.push_back({"", list[i].type});
    }
    std::string why;
    auto format = MessageFormat::parse(style, format_, fields_, &why);
    EXPECT_TRUE(format) << format_ << ": " << why;
    return format ? std::make_shared<const MessageFormat>(std::move(*format)) : nullptr;
  }

  const std::string& format() const { return format_; }

  std::vector<Value> values() {
    std::vector<Value> values;
    values.reserve(fields_.size());
    for (const FormatField& field : fields_) values.push_back(value(field.type));
    return values;
  }

  std::string literal(std::string_view message) {
    std::string literal = piece() + piece();
    if (below(4) != 0 && !message.empty()) {
      const std::size_t begin = below(message.size());
      literal = message.substr(begin, 1 + below(6));
      if (below(4) == 0) literal += piece();
      if (below(4) == 0) literal = piece() + literal;
    }
    return literal.empty() ? "a" : literal;
  }

 private:
  std::string piece() {
    static const std::vector<std::string> kPieces = {"",  "a",  "ab", "b ", "1",
                                                     " ", "-1", "0x", "e",  "f="};
    return kPieces[below(kPieces.size())];
  }

  void add_printf() {
    static const std::vector<std::string> kConversions = {
        "%d", "%u", "%x",   "%lu",  "%5d", "%-4u", "%+d",  "%#x", "%.0d", "%*d",   "%X", "%o",
        "%s", "%s", "%s",   "%-4s", "%5s", "%.2s", "%.*s", "%c",  "%3c",  "%%",    "%p", "%f",
        "%g", "%a", "%.2f", "%E",   "%#o", "%b",   "%lc",  "%ls", "%Lg",  "%08.3f"};
    format_ += kConversions[below(kConversions.size())];
  }

  void add_brace() {
    struct Choice {
      std::string text;
      FieldType type;
    };
    static const std::vector<Choice> kChoices = {
        {"{}", FieldType::i32},     {"{:x}", FieldType::u64},      {"{:>5}", FieldType::i32},
        {"{:b^6}", FieldType::i64}, {"{:c}", FieldType::u32},      {"{:#X}", FieldType::u16},
        {"{}", FieldType::string},  {"{:.2}", FieldType::string},  {"{:a>6}", FieldType::string},
        {"{}", FieldType::f64},     {"{:.3f}", FieldType::f64},    {"{:e}", FieldType::f32},
        {"{}", FieldType::boolean}, {"{}", FieldType::character},  {"{:d}", FieldType::boolean},
        {"{}", FieldType::pointer}, {"{:L}", FieldType::i32},      {"{:#b}", FieldType::u8},
        {"{}", FieldType::i128},    {"{}", FieldType::enumeration}};
    const Choice& choice = kChoices[below(kChoices.size())];
    format_ += choice.text;
    fields_.push_back({"", choice.type});
  }

  FieldType any_type() {
    static const std::vector<FieldType> kTypes = {
        FieldType::boolean,    FieldType::character, FieldType::i8,     FieldType::i64,
        FieldType::u32,        FieldType::i128,      FieldType::u128,   FieldType::f32,
        FieldType::f64,        FieldType::pointer,   FieldType::string, FieldType::bytes,
        FieldType::enumeration};
    return kTypes[below(kTypes.size())];
  }

  std::string_view text() {
    std::string made;
    for (std::uint64_t i = below(6); i > 0; --i) made += "ab1 -ex\"\\\n="[below(11)];
    if (texts_.size() > 1000) texts_.pop_front();
    return texts_.emplace_back(std::move(made));
  }

  std::uint64_t bits() { return random_() >> below(64); }

  Value value(FieldType type) {
    const std::uint64_t number = below(2) == 0 ? below(3) : bits();
    switch (type) {
      case FieldType::boolean:
        return Value::of_unsigned(type, number & 1);
      case FieldType::character:
        return Value::of_unsigned(type, static_cast<unsigned char>("ab1 -ex\x80"[below(8)]));
      case FieldType::u8:
        return Value::of_unsigned(type, number & 0xff);
      case FieldType::u16:
        return Value::of_unsigned(type, number & 0xffff);
      case FieldType::u32:
        return Value::of_unsigned(type, below(4) == 0 ? 'a' : static_cast<std::uint32_t>(number));
      case FieldType::u64:
      case FieldType::pointer:
        return Value::of_unsigned(type, number);
      case FieldType::i8:
        return Value::of_signed(type, static_cast<std::int8_t>(number));
      case FieldType::i16:
        return Value::of_signed(type, static_cast<std::int16_t>(number));
      case FieldType::i32:
        // Not too large for a width.
        return Value::of_signed(type, static_cast<std::int32_t>(number % 200) - 100);
      case FieldType::i64:
        return Value::of_signed(type, static_cast<std::int64_t>(below(2) == 0 ? number : -number));
      case FieldType::i128:
      case FieldType::u128:
        return Value::of_halves(type, bits(), bits());
      case FieldType::f32:
        return Value::of_f32(std::bit_cast<float>(static_cast<std::uint32_t>(bits())));
      case FieldType::f64:
        return Value::of_f64(below(3) == 0 ? std::bit_cast<double>(bits())
                                           : static_cast<double>(number) / 8);
      case FieldType::f80:
        return Value::of_f80(static_cast<long double>(number) / 3);
      case FieldType::enumeration:
        return Value::of_enumeration(static_cast<std::int64_t>(number), text());
      default:
        return Value::of_text(type, text());
    }
  }

  std::mt19937_64 random_;
  std::string format_;
  std::vector<FormatField> fields_;
  std::deque<std::string> texts_;
};

TEST(MessageLiteral, AgreesWithTheTextOfTheMessage) {
  RandomMessages random(7);
  TextSink scratch;
  std::size_t answers[4] = {};
  std::size_t found = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto format = random.next_format();
    ASSERT_TRUE(format);
    std::string message;
    format->append(message, random.values());
    const std::string literal = random.literal(message);
    const MessageLiteral one(format, literal);
    ++answers[static_cast<std::size_t>(one.answer())];
    for (int record = 0; record < 20; ++record) {
      const std::vector<Value> args = random.values();
      message.clear();
      format->append(message, args);
      const bool contains = message.find(literal) != std::string::npos;
      found += contains ? 1 : 0;
      ASSERT_EQ(one.matches(args, scratch), contains)
          << "format '" << random.format() << "', literal '" << literal << "', message '" << message
          << "'";
      if (!contains || one.answer() != Answer::kByTexts) continue;
      EXPECT_TRUE(std::any_of(args.begin(), args.end(),
                              [&](const Value& value) {
                                return value.type == FieldType::string &&
                                       value.text.find(literal) != std::string_view::npos;
                              }))
          << "format '" << random.format() << "', literal '" << literal << "'";
    }
  }
  for (const std::size_t count : answers) EXPECT_GT(count, 50U) << "each answer must occur";
  EXPECT_GT(found, 10'000U);
}

Answer answer(std::string_view text, std::string literal) {
  const shm::FieldList list = shm::printf_fields(text);
  std::vector<FormatField> fields;
  for (std::size_t i = 0; i < list.count; ++i) fields.push_back({"", list[i].type});
  auto format = MessageFormat::parse(shm::FormatStyle::printf, text, fields, nullptr);
  return MessageLiteral(std::make_shared<const MessageFormat>(std::move(*format)),
                        std::move(literal))
      .answer();
}

TEST(MessageLiteral, IsDecidedWithoutValuesWhereThatIsPossible) {
  EXPECT_EQ(answer("order %d filled", "filled"), Answer::kAlways);
  EXPECT_EQ(answer("order %d filled", "failed"), Answer::kNever);
  EXPECT_EQ(answer("order %d filled", "order 1"), Answer::kByValues);
  EXPECT_EQ(answer("order %d filled", "order x"), Answer::kNever);
  EXPECT_EQ(answer("order %d filled", "17"), Answer::kByValues);
  EXPECT_EQ(answer("order %d%% filled", "% fi"), Answer::kAlways);
  EXPECT_EQ(answer("user %s, %d", "bob"), Answer::kByTexts);
  EXPECT_EQ(answer("user %s, %d", "user bob"), Answer::kByValues) << "begins in the text";
  EXPECT_EQ(answer("user %s, %d", "bob,"), Answer::kByValues) << "can end in the text";
  EXPECT_EQ(answer("took %.1f ms", "needle"), Answer::kNever);
}

TEST(LiteralFinder, FindsALiteralAtEachPlace) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 80, 'a');
    for (char& character : text) character = static_cast<char>('a' + random() % 3);
    std::string literal(1 + random() % 5, 'a');
    for (char& character : literal) character = static_cast<char>('a' + random() % 3);
    ASSERT_EQ(contains_literal(text, literal), text.find(literal) != std::string::npos)
        << text << ' ' << literal;
  }
}

}  // namespace
}  // namespace ringside::trace

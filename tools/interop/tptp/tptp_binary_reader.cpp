#include "tools/interop/tptp/tptp_binary_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace ringside::tool::tptp {
namespace {

constexpr std::string_view kTooShort = "its attributes extend past its end";
constexpr std::string_view kTooLarge = "it is larger than 64 MiB";
constexpr std::string_view kBadDepth = "its frames extend past its end";
constexpr std::string_view kNoFrequency = "its frequency is 0 Hz";

template <class Number>
Number swapped(Number value) {
  if constexpr (sizeof value == 8) {
    return __builtin_bswap64(value);
  } else if constexpr (sizeof value == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap16(value);
  }
}

}  // namespace

// The rest of a message.
struct BinaryReader::Attributes {
  const std::byte* at;
  const std::byte* end;

  std::size_t left() const { return static_cast<std::size_t>(end - at); }
};

template <class Number>
Number BinaryReader::load(const std::byte* p) const {
  Number value;
  std::memcpy(&value, p, sizeof value);
  constexpr bool kLittle = std::endian::native == std::endian::little;
  return header_.little_endian == kLittle ? value : swapped(value);
}

bool BinaryReader::open() {
  opened_ = true;
  const std::span<const std::byte> head = input_.peek(kHeaderBytes);
  if (head.size() < kMagic.size() || std::memcmp(head.data(), kMagic.data(), kMagic.size()) != 0) {
    end(ReadEnd::kRefused, 0, "not a binary TPTP trace: these begin with 0TBF");
    return false;
  }
  if (head.size() < kHeaderBytes) {
    end(ReadEnd::kRefused, head.size(), "the file ends within its header of 12 bytes");
    return false;
  }
  header_.major = std::to_integer<std::uint8_t>(head[4]);
  header_.minor = std::to_integer<std::uint8_t>(head[5]);
  header_.platform = std::to_integer<std::uint8_t>(head[6]);
  const auto endianness = std::to_integer<unsigned>(head[7]);
  if (header_.major != kMajorVersion) {
    end(ReadEnd::kRefused, 4,
        fmt::format("version {}.{} of the format is not supported; supported version: 1",
                    header_.major, header_.minor));
    return false;
  }
  if (endianness > 1) {
    end(ReadEnd::kRefused, 7,
        fmt::format("byte order {} is neither 0 (big-endian) nor 1 (little-endian)", endianness));
    return false;
  }
  header_.little_endian = endianness == 1;
  if (header_.platform > 1) {
    outcome_.warnings.push_back(fmt::format(
        "platform {} is neither 0 (32 bit) nor 1 (64 bit); ignored, sizes do not depend on it",
        header_.platform));
  }
  header_.data_offset = load<std::uint32_t>(head.data() + 8);
  if (header_.data_offset < kHeaderBytes) {
    end(ReadEnd::kRefused, 8,
        fmt::format("the header has data begin at {}, within itself", header_.data_offset));
    return false;
  }
  if (input_.pass_over(header_.data_offset) < header_.data_offset) {
    end(ReadEnd::kRefused, 8,
        fmt::format("the header has data begin at {}, but the file has {} bytes",
                    header_.data_offset, input_.offset()));
    return false;
  }
  return true;
}

Step BinaryReader::end(ReadEnd how, std::uint64_t offset, std::string message) {
  ended_ = true;
  outcome_.end = how;
  outcome_.offset = offset;
  outcome_.message = std::move(message);
  if (unsound_texts_ != 0) {
    outcome_.warnings.push_back(fmt::format(
        "{} texts contain bytes that are invalid in their character set; these became U+FFFD",
        unsound_texts_));
  }
  if (messages_with_more_ != 0) {
    outcome_.warnings.push_back(
        fmt::format("{} messages have trailing bytes after their attributes, which are ignored",
                    messages_with_more_));
  }
  return Step::kEnd;
}

Step BinaryReader::refuse_or_end(std::uint64_t offset, std::string message) {
  return end(delivered_ == 0 ? ReadEnd::kRefused : ReadEnd::kDamaged, offset, std::move(message));
}

Step BinaryReader::pass(Step step, std::uint64_t bytes, std::string_view what) {
  passed_.bytes = bytes;
  passed_.what = what;
  const std::uint64_t passed = input_.pass_over(bytes);
  if (passed == bytes) return step;
  return end(ReadEnd::kDamaged, passed_.offset,
             fmt::format("the file ends within message {}: it has {} bytes, {} of them are there",
                         passed_.id, bytes, passed));
}

Step BinaryReader::next(Message& message) {
  if (!opened_ && !open()) return Step::kEnd;
  while (!ended_) {
    const std::uint64_t offset = input_.offset();
    const std::span<const std::byte> head = input_.peek(kMessageHeaderBytes);
    if (head.empty()) return end(ReadEnd::kWhole, 0, {});
    if (head.size() < kMessageHeaderBytes) {
      return end(ReadEnd::kDamaged, offset, "the file ends within the header of a message");
    }
    const auto id = load<std::uint16_t>(head.data());
    const auto bytes = load<std::uint32_t>(head.data() + 2);
    if (bytes < kMessageHeaderBytes) {
      return end(
          ReadEnd::kDamaged, offset,
          fmt::format("message {} has a size of {} bytes, but its header alone has 6", id, bytes));
    }
    passed_ = {offset, bytes, id, {}, {}};
    const MessageType* const type = find_message_type(id);
    const bool is_system = id == kEncodingId || id == kFrequencyId;
    if (type == nullptr && !is_system) return pass(Step::kUnknown, bytes, {});
    if (bytes > kMostMessageBytes) return pass(Step::kBad, bytes, kTooLarge);
    const std::span<const std::byte> whole = input_.peek(bytes);
    if (whole.size() < bytes) return pass(Step::kBad, bytes, kTooShort);
    const auto body = whole.subspan(kMessageHeaderBytes, bytes - kMessageHeaderBytes);
    if (is_system) {
      const Step step = take_system(id, body);
      if (step != Step::kMessage) return step;
      input_.skip(bytes);
      continue;
    }
    message.start(*type);
    message.offset = offset;
    message.bytes = bytes;
    Attributes attributes{body.data(), body.data() + body.size()};
    if (!take(attributes, message)) return pass(Step::kBad, bytes, passed_.what);
    message.extra_bytes = static_cast<std::uint32_t>(attributes.left());
    if (message.extra_bytes != 0) ++messages_with_more_;
    // The views remain valid: nothing is read before the next call.
    input_.skip(bytes);
    ++delivered_;
    return Step::kMessage;
  }
  return Step::kEnd;
}

// kMessage: the message was processed but not skipped yet.
Step BinaryReader::take_system(std::uint16_t id, std::span<const std::byte> body) {
  const std::uint64_t bytes = kMessageHeaderBytes + body.size();
  if (id == kFrequencyId) {
    if (body.size() < sizeof(std::uint64_t)) return pass(Step::kBad, bytes, kTooShort);
    const auto hz = load<std::uint64_t>(body.data());
    if (hz == 0) return pass(Step::kBad, bytes, kNoFrequency);
    frequency_hz_ = hz;
    return Step::kMessage;
  }
  const std::string_view text(reinterpret_cast<const char*>(body.data()), body.size());
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return pass(Step::kBad, bytes, kTooShort);
  std::string why;
  const auto charset = Charset::open(text.substr(0, zero), &why);
  if (charset == nullptr) {
    std::string name;
    Charset().append(text.substr(0, std::min<std::size_t>(zero, 64)), name);
    return refuse_or_end(passed_.offset, fmt::format("encoding \"{}\": {}", name, why));
  }
  charset_ = std::move(*charset);
  encoding_ = text.substr(0, zero);
  return Step::kMessage;
}

bool BinaryReader::take_text(Attributes& from, std::string_view& text) {
  const void* const zero = std::memchr(from.at, 0, from.left());
  if (zero == nullptr) return false;
  const auto* const end = static_cast<const std::byte*>(zero);
  text = {reinterpret_cast<const char*>(from.at), static_cast<std::size_t>(end - from.at)};
  from.at = end + 1;
  if (charset_.is_same(text)) return true;
  const std::size_t at = converted_.size();
  if (!charset_.append(text, converted_)) ++unsound_texts_;
  conversions_.push_back({&text, at, converted_.size() - at});
  return true;
}

bool BinaryReader::take_frames(Attributes& from, std::int64_t depth, Message& message) {
  // Each takes at least a zero byte and a line.
  constexpr std::size_t kLeastBytes = 1 + sizeof(std::int64_t);
  passed_.what = kBadDepth;
  if (depth < 0 || static_cast<std::uint64_t>(depth) > from.left() / kLeastBytes) return false;
  const auto count = static_cast<std::size_t>(depth);
  message.frame_methods.resize(count);
  message.frame_lines.resize(count);
  for (std::string_view& method : message.frame_methods) {
    if (from.left() == 0 || !take_text(from, method)) return false;
  }
  if (from.left() / sizeof(std::int64_t) < count) return false;
  for (std::int64_t& line : message.frame_lines) {
    line = static_cast<std::int64_t>(load<std::uint64_t>(from.at));
    from.at += sizeof line;
  }
  return true;
}

bool BinaryReader::take(Attributes& from, Message& message) {
  converted_.clear();
  conversions_.clear();
  const MessageType& type = *message.type;
  passed_.what = kTooShort;
  for (std::size_t i = 0; i < type.attributes.size(); ++i) {
    std::int64_t& number = message.numbers[i];
    switch (type.attributes[i].type) {
      case AttributeType::kLong:
        if (from.left() < 8) return false;
        number = static_cast<std::int64_t>(load<std::uint64_t>(from.at));
        from.at += 8;
        break;
      case AttributeType::kInteger:
        if (from.left() < 4) return false;
        number = static_cast<std::int32_t>(load<std::uint32_t>(from.at));
        from.at += 4;
        break;
      case AttributeType::kByte:
        if (from.left() < 1) return false;
        number = std::to_integer<std::int64_t>(*from.at);
        if (number > 127) number -= 256;
        from.at += 1;
        break;
      case AttributeType::kText:
        if (from.left() == 0 || !take_text(from, message.texts[i])) return false;
        break;
      case AttributeType::kTexts:
        if (!take_frames(from, message.numbers[type.depth], message)) return false;
        break;
      case AttributeType::kLongs:
        break;  // with the texts
    }
  }
  for (const Converted& c : conversions_) *c.text = {converted_.data() + c.at, c.bytes};
  if (type.time != MessageType::kNone) {
    message.time =
        Time::of_ticks(message.numbers[type.time], frequency_hz_.value_or(1'000'000'000));
  }
  return true;
}

}  // namespace ringside::tool::tptp

#pragma once
// The structure of a TPTP binary trace (.trcbin).

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/tptp/tptp_charset.hpp"
#include "tools/interop/tptp/tptp_message.hpp"

namespace ringside::tool::tptp {

inline constexpr std::string_view kMagic = "0TBF";
inline constexpr std::size_t kHeaderBytes = 12;
inline constexpr std::uint8_t kMajorVersion = 1;
inline constexpr std::size_t kMessageHeaderBytes = 6;

struct BinaryHeader {
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  std::uint8_t platform = 0;  // 0: 32 bit, 1: 64 bit
  bool little_endian = false;
  std::uint32_t data_offset = 0;
};

// Memory: one message, at most kMostMessageBytes; larger messages are bad and are skipped.
class BinaryReader final : public MessageReader {
 public:
  static constexpr std::size_t kMostMessageBytes = std::size_t{64} << 20;

  explicit BinaryReader(InputBytes& input) : input_(input) {}

  Step next(Message& message) override;

  // The state after the last message. Null if there was no such message.
  const BinaryHeader& header() const { return header_; }
  const std::string& encoding() const { return encoding_; }
  std::optional<std::uint64_t> frequency_hz() const { return frequency_hz_; }

 private:
  // A converted text, which is in converted_ and can still move there.
  struct Converted {
    std::string_view* text;
    std::size_t at;
    std::size_t bytes;
  };
  struct Attributes;

  bool open();
  Step end(ReadEnd end, std::uint64_t offset, std::string message);
  Step refuse_or_end(std::uint64_t offset, std::string message);
  Step pass(Step step, std::uint64_t bytes, std::string_view what);
  Step take_system(std::uint16_t id, std::span<const std::byte> body);
  bool take(Attributes& from, Message& message);
  bool take_frames(Attributes& from, std::int64_t depth, Message& message);
  bool take_text(Attributes& from, std::string_view& text);

  template <class Number>
  Number load(const std::byte* p) const;

  InputBytes& input_;
  BinaryHeader header_;
  bool opened_ = false;
  bool ended_ = false;
  std::uint64_t delivered_ = 0;
  std::string encoding_ = "UTF8";
  std::optional<std::uint64_t> frequency_hz_;
  Charset charset_;
  std::string converted_;
  std::vector<Converted> conversions_;
  std::uint64_t unsound_texts_ = 0;
  std::uint64_t messages_with_more_ = 0;
};

}  // namespace ringside::tool::tptp

#include "tools/interop/json/json_cutter.hpp"

#include <algorithm>
#include <array>
#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ringside::tool {
namespace {

constexpr std::size_t kFirstCutBytes = 4096;

enum JsonByte : std::uint8_t { kOther, kQuote, kOpen, kClose, kDelimiter };

constexpr std::array<std::uint8_t, 256> kJsonBytes = [] {
  std::array<std::uint8_t, 256> bytes{};
  bytes['"'] = kQuote;
  bytes['{'] = bytes['['] = kOpen;
  bytes['}'] = bytes[']'] = kClose;
  for (const char delimiter : {',', ':', ' ', '\t', '\r', '\n'}) {
    bytes[static_cast<unsigned char>(delimiter)] = kDelimiter;
  }
  return bytes;
}();

bool is_json_space(std::byte byte) {
  return byte == std::byte{' '} || byte == std::byte{'\n'} || byte == std::byte{'\r'} ||
         byte == std::byte{'\t'};
}

// One bit for each of 64 bytes; the first byte has the lowest bit.
struct JsonMasks {
  static constexpr std::size_t kBytes = 64;
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t opens = 0;
  std::uint64_t closes = 0;

  explicit JsonMasks(const unsigned char* at) {
#if defined(__SSE2__)
    for (std::size_t i = 0; i < kBytes; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
      // Square and curly brackets differ in this bit.
      const __m128i brackets = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
      quotes |= matches(bytes, '"') << i;
      backslashes |= matches(bytes, '\\') << i;
      opens |= matches(brackets, '{') << i;
      closes |= matches(brackets, '}') << i;
    }
#else
    for (std::size_t i = 0; i < kBytes; ++i) {
      const unsigned char bracket = at[i] | 0x20;
      quotes |= std::uint64_t{at[i] == '"'} << i;
      backslashes |= std::uint64_t{at[i] == '\\'} << i;
      opens |= std::uint64_t{bracket == '{'} << i;
      closes |= std::uint64_t{bracket == '}'} << i;
    }
#endif
  }

 private:
#if defined(__SSE2__)
  static std::uint64_t matches(__m128i bytes, char wanted) {
    return static_cast<std::uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted))));
  }
#endif
};

// Each bit of the result is set if an odd number of bits up to it are set.
std::uint64_t parity_up_to(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// Finds the end of a value that is given in pieces.
class EndOfValue {
 public:
  // The number of bytes of the piece that belong to the value; is_found() if the value ends there.
  std::size_t look(std::span<const std::byte> piece) {
    const auto* const begin = reinterpret_cast<const unsigned char*>(piece.data());
    const auto* const end = begin + piece.size();
    const auto* at = begin;
    while (at < end && !found_) {
      if (depth_ != 0 && static_cast<std::size_t>(end - at) >= JsonMasks::kBytes) {
        at = within(at);
      } else {
        at = in_text_ ? in_text(at, end) : outside(at, end);
      }
    }
    return static_cast<std::size_t>(at - begin);
  }
  bool is_found() const { return found_; }
  // At the end of the input: a number or a literal ends with it.
  bool is_scalar() const { return is_scalar_; }

 private:
  // At least one bracket is open; 64 bytes are readable.
  const unsigned char* within(const unsigned char* at) {
    JsonMasks masks(at);
    if (is_escaped_) {
      masks.quotes &= ~std::uint64_t{1};
      masks.backslashes &= ~std::uint64_t{1};
      is_escaped_ = false;
    }
    while (masks.backslashes != 0) {
      const std::uint64_t lowest = masks.backslashes & -masks.backslashes;
      is_escaped_ = lowest << 1 == 0;
      masks.quotes &= ~(lowest << 1);
      masks.backslashes &= ~(lowest | lowest << 1);
    }
    std::uint64_t texts = parity_up_to(masks.quotes);
    if (in_text_) texts = ~texts;
    masks.opens &= ~texts;
    masks.closes &= ~texts;
    const auto closing = static_cast<std::uint64_t>(std::popcount(masks.closes));
    if (closing < depth_) {
      depth_ += static_cast<std::uint64_t>(std::popcount(masks.opens)) - closing;
      in_text_ = texts >> 63 != 0;
      return at + JsonMasks::kBytes;
    }
    for (std::uint64_t brackets = masks.opens | masks.closes; brackets != 0;
         brackets &= brackets - 1) {
      const std::uint64_t lowest = brackets & -brackets;
      depth_ = (masks.opens & lowest) != 0 ? depth_ + 1 : depth_ - 1;
      if (depth_ != 0) continue;
      found_ = true;
      return at + std::countr_zero(lowest) + 1;
    }
    in_text_ = texts >> 63 != 0;
    return at + JsonMasks::kBytes;
  }

  const unsigned char* in_text(const unsigned char* at, const unsigned char* end) {
    if (is_escaped_) {
      is_escaped_ = false;
      return at + 1;
    }
    while (at < end && *at != '"' && *at != '\\') ++at;
    if (at == end) return at;
    if (*at == '\\') {
      is_escaped_ = true;
    } else {
      in_text_ = false;
      found_ = depth_ == 0;
    }
    return at + 1;
  }

  const unsigned char* outside(const unsigned char* at, const unsigned char* end) {
    const bool is_bracketed = depth_ != 0;
    for (; at < end; ++at) {
      // From here on wide steps are possible.
      if (!is_bracketed && depth_ != 0) return at;
      const std::uint8_t kind = kJsonBytes[*at];
      if (depth_ != 0 && (kind == kOther || kind == kDelimiter)) continue;
      if (is_scalar_ && kind != kOther) {
        found_ = true;
        return at;
      }
      if (kind == kQuote) {
        in_text_ = true;
        return at + 1;
      }
      if (kind == kOpen) ++depth_;
      if (kind == kClose && --depth_ == 0) {
        found_ = true;
        return at + 1;
      }
      if (kind == kOther) is_scalar_ = true;
    }
    return at;
  }

  std::uint64_t depth_ = 0;
  bool in_text_ = false;
  bool is_escaped_ = false;
  bool is_scalar_ = false;
  bool found_ = false;
};

}  // namespace

char JsonCutter::next() {
  for (;;) {
    const auto bytes = input_.peek(1);
    if (bytes.empty()) return '\0';
    const auto found =
        std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return !is_json_space(b); });
    input_.skip(static_cast<std::size_t>(found - bytes.begin()));
    if (found != bytes.end()) return static_cast<char>(*found);
  }
}

bool JsonCutter::pass(char character) {
  if (next() != character || character == '\0') return false;
  input_.skip(1);
  return true;
}

JsonCut JsonCutter::cut(std::size_t most_bytes, std::span<const std::byte>& value) {
  EndOfValue end;
  std::size_t looked = 0;
  for (std::size_t wanted = kFirstCutBytes;; wanted = 2 * looked) {
    const auto bytes = input_.peek(wanted);
    if (bytes.empty()) return JsonCut::kEnd;
    const std::byte first = bytes.front();
    if (kJsonBytes[static_cast<unsigned char>(first)] == kClose ||
        kJsonBytes[static_cast<unsigned char>(first)] == kDelimiter) {
      return JsonCut::kNone;
    }
    const bool is_all = bytes.size() < wanted;
    looked += end.look(bytes.subspan(looked));
    value = bytes.first(looked);
    if (end.is_found()) return looked <= most_bytes ? JsonCut::kValue : JsonCut::kTooLong;
    if (looked > most_bytes) return JsonCut::kTooLong;
    if (is_all) return end.is_scalar() ? JsonCut::kValue : JsonCut::kEnd;
  }
}

JsonCut JsonCutter::pass_value() {
  EndOfValue end;
  std::uint64_t passed = 0;
  while (!end.is_found()) {
    const auto bytes = input_.peek(1);
    if (bytes.empty()) return end.is_scalar() ? JsonCut::kValue : JsonCut::kEnd;
    const std::uint8_t kind = kJsonBytes[static_cast<unsigned char>(bytes.front())];
    if (passed == 0 && (kind == kClose || kind == kDelimiter)) return JsonCut::kNone;
    const std::size_t looked = end.look(bytes);
    passed += looked;
    input_.skip(looked);
  }
  return JsonCut::kValue;
}

}  // namespace ringside::tool

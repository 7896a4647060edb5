// Codes the arguments of ring records, with the histories of one extent. In its own header so that
// the encoder's loop can inline the short functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/site_plan.hpp"
#include "trace-format/codec/value_codec.hpp"

namespace ringside::trace {

inline constexpr std::size_t kWideBytes = 8;   // how far a load or store may reach past a value
inline constexpr std::size_t kCopyBytes = 16;  // how far the copy of a text may reach past it

// Whether the bytes of two arguments are equal. Reads up to kWideBytes past them.
inline bool equal_arguments(const std::byte* a, const std::byte* b, std::size_t bytes) {
  const std::size_t last = std::max<std::size_t>(bytes, 8) - 8;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * std::min<std::size_t>(bytes, 8));
  std::uint64_t difference = (load<std::uint64_t>(a + last) ^ load<std::uint64_t>(b + last)) & mask;
  for (std::size_t i = 0; i < last; i += 8) {
    difference |= load<std::uint64_t>(a + i) ^ load<std::uint64_t>(b + i);
  }
  return difference == 0;
}

// For texts; most of them differ at the beginning. Never reads past them.
inline bool equal_bytes(const std::byte* a, const std::byte* b, std::size_t bytes) {
  constexpr std::size_t kShort = 64;
  if (bytes < 8 || bytes > kShort) return std::memcmp(a, b, bytes) == 0;
  if (load<std::uint64_t>(a) != load<std::uint64_t>(b)) return false;
  return equal_arguments(a, b, bytes);
}

// An integer extended to 64 bits, always read with 8 bytes.
inline std::uint64_t wide_integer(const FieldPlan& f, const std::byte* p) {
  return ((load<std::uint64_t>(p) & f.value_mask) ^ f.sign_bit) - f.sign_bit;
}

// The same without reading past the value.
inline std::uint64_t exact_integer(const FieldPlan& f, const std::byte* p) {
  std::uint64_t raw = 0;
  switch (f.bytes) {
    case 1:
      raw = load<std::uint8_t>(p);
      break;
    case 2:
      raw = load<std::uint16_t>(p);
      break;
    case 4:
      raw = load<std::uint32_t>(p);
      break;
    default:
      raw = load<std::uint64_t>(p);
      break;
  }
  return (raw ^ f.sign_bit) - f.sign_bit;
}

// Arguments that are only integers of up to 64 bits. Reads and writes up to kWideBytes past them.
inline std::byte* put_integers(const SitePlan& plan, const std::byte* a, const std::byte* b,
                               std::byte* o) {
  const FieldPlan* f = plan.fields.data();
  const FieldPlan* const last = f + plan.fields.size();
  std::byte* tags = o;
  o += plan.tag_bytes;
  for (; last - f >= 2; f += 2) {
    const unsigned low =
        put_integer(wide_integer(f[0], a + f[0].offset), wide_integer(f[0], b + f[0].offset), o);
    const unsigned high =
        put_integer(wide_integer(f[1], a + f[1].offset), wide_integer(f[1], b + f[1].offset), o);
    *tags++ = static_cast<std::byte>(low | high << 4);
  }
  if (f != last) {
    *tags = static_cast<std::byte>(
        put_integer(wide_integer(*f, a + f->offset), wide_integer(*f, b + f->offset), o));
  }
  return o;
}

// The arguments are already checked: the end of the input only decides where copies may be faster.
class ArgumentEncoder {
 public:
  // A new extent of records that ends at `input_end`: the histories are empty.
  void start(const std::byte* input_end) {
    input_end_ = input_end;
    numbers_clear_ = texts_clear_ = false;
  }

  // Before the first record of a site in an extent. Clears the histories that the site uses: most
  // extents use none.
  void prepare(const SitePlan& plan) {
    if (!numbers_clear_ && !plan.integers_only) {
      numbers_.fill(0);
      numbers_clear_ = true;
    }
    if (!texts_clear_ && plan.variable) {
      texts_.fill({});
      texts_clear_ = true;
    }
  }

  // The history of doubles, one entry more than it has slots.
  std::uint64_t* numbers() { return numbers_.data(); }

  // The history of texts.
  KnownText* texts() { return texts_.data(); }

  // Arguments of fixed sizes. Reads and writes up to kWideBytes past them.
  std::byte* put_numbers(const SitePlan& plan, const std::byte* a, const std::byte* b,
                         std::byte* o) {
    std::byte* tags = o;
    o += plan.tag_bytes;
    unsigned shift = 0;
    unsigned pair = 0;
    for (const FieldPlan& f : plan.fields) {
      const std::byte* const value = a + f.offset;
      const std::byte* const before = b + f.offset;
      unsigned tag = 0;
      switch (f.coding) {
        case Coding::kInteger:
          tag = put_integer(wide_integer(f, value), wide_integer(f, before), o);
          break;
        case Coding::kFloat64:
          tag = put_float64(load<std::uint64_t>(value), load<std::uint64_t>(before),
                            numbers_.data(), o);
          break;
        case Coding::kFloat32:
          tag = put_float32(load<std::uint32_t>(value), load<std::uint32_t>(before), o);
          break;
        case Coding::kInteger128:
          tag = put_integer128(value, before, o);
          break;
        default:
          tag = put_float80(value, before, o);
          break;
      }
      // Odd fields complete the byte that even fields began.
      pair |= tag << shift;
      *tags = static_cast<std::byte>(pair);
      tags += shift >> 2;
      pair = shift == 0 ? pair : 0;
      shift ^= 4;
    }
    return o;
  }

  // `a`: the arguments; `b`: those of the site's preceding record. Both are already checked.
  std::byte* put_all(const SitePlan& plan, const std::byte* a, const std::byte* b, std::byte* o) {
    std::byte* tags = o;
    o += plan.tag_bytes;
    unsigned shift = 0;
    unsigned pair = 0;
    for (const FieldPlan& f : plan.fields) {
      unsigned tag = 0;
      std::size_t a_bytes = f.bytes;
      std::size_t b_bytes = f.bytes;
      switch (f.coding) {
        case Coding::kInteger:
          tag = put_integer(exact_integer(f, a), exact_integer(f, b), o);
          break;
        case Coding::kFloat32:
          tag = put_float32(load<std::uint32_t>(a), load<std::uint32_t>(b), o);
          break;
        case Coding::kFloat64:
          tag = put_float64(load<std::uint64_t>(a), load<std::uint64_t>(b), numbers_.data(), o);
          break;
        case Coding::kInteger128:
          tag = put_integer128(a, b, o);
          break;
        case Coding::kFloat80:
          tag = put_float80(a, b, o);
          break;
        case Coding::kText:
        case Coding::kElements:
        case Coding::kTextElements: {
          const auto measure = [&f](const std::byte* p) -> std::size_t {
            const auto count = load<std::uint32_t>(p);
            if (f.coding == Coding::kText) return count;
            if (f.coding == Coding::kElements) return std::size_t{count} * f.bytes;
            std::size_t at = 0;
            for (std::uint32_t i = 0; i < count; ++i) at += 4 + load<std::uint32_t>(p + 4 + at);
            return at;
          };
          a_bytes = measure(a);
          b_bytes = measure(b);
          a += 4;
          b += 4;
          tag = put_text(a, a_bytes, b, b_bytes, o);
          break;
        }
      }
      a += a_bytes;
      b += b_bytes;
      pair |= tag << shift;
      if (shift == 4) {
        *tags++ = static_cast<std::byte>(pair);
        pair = 0;
      }
      shift ^= 4;
    }
    if (shift == 4) *tags = static_cast<std::byte>(pair);
    return o;
  }

  // Appends one text to `o` and returns its tag. Writes up to kCopyBytes past it.
  unsigned put_text(const std::byte* text, std::size_t bytes, const std::byte* previous,
                    std::size_t previous_bytes, std::byte*& o) {
    if (bytes == previous_bytes && equal_bytes(text, previous, bytes)) return kTagSame;
    if (bytes == 0) return kTagTextEmpty;
    const std::uint64_t hash = text_hash(text, bytes);
    const std::uint64_t key = KnownText::key_of(hash, bytes);
    const std::size_t slot = hash >> 56;
    KnownText& known = texts_[slot];
    if (known.key == key && equal_bytes(known.data, text, bytes)) {
      *o++ = static_cast<std::byte>(slot);
      return kTagTextSlot;
    }
    known = {text, key};
    unsigned tag = kTagTextSameLength;
    if (bytes != previous_bytes) {
      tag = bytes < 0x100 ? kTagText1 : bytes < 0x10000 ? kTagText2 : kTagText4;
      store(o, static_cast<std::uint32_t>(bytes));
      o += tag == kTagText4 ? 4 : tag;
    }
    constexpr std::size_t kShort = 128;
    if (bytes <= kShort && static_cast<std::size_t>(input_end_ - text) >= bytes + kCopyBytes) {
      for (std::size_t i = 0; i < bytes; i += kCopyBytes) std::memcpy(o + i, text + i, kCopyBytes);
    } else {
      std::memcpy(o, text, bytes);
    }
    o += bytes;
    return tag;
  }

 private:
  const std::byte* input_end_ = nullptr;
  bool numbers_clear_ = false;
  bool texts_clear_ = false;
  std::array<std::uint64_t, kHistorySlots + 1> numbers_{};
  std::array<KnownText, kHistorySlots> texts_{};
};

}  // namespace ringside::trace

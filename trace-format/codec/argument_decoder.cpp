#include "trace-format/codec/argument_decoder.hpp"

#include <cstring>

#include "trace-format/codec/extent_failure.hpp"

namespace ringside::trace {
namespace {

void read_float32(unsigned tag, std::uint64_t raw, Value& value) {
  value.f32 = std::bit_cast<float>(static_cast<std::uint32_t>(raw << (8 * (4 - tag))));
}

void read_integer128(unsigned tag, std::uint64_t raw, Value& value) {
  const bool complement = tag > kTagComplement;
  value.u64 = complement ? ~raw : raw;
  value.high = complement ? ~std::uint64_t{0} : 0;
}

// Checked reading of the bytes that a tag requires.
class Arguments {
 public:
  Arguments(ValueHistory& history, const std::byte* at, const std::byte* end)
      : history_(history), at_(at), end_(end) {}

  const std::byte* at() const { return at_; }
  const char* failure() const { return failed_; }
  bool skip(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) return fail(kCutShort);
    at_ += bytes;
    return true;
  }
  bool read(unsigned tag, const ReadField& plan, const Field& field, Value& value);

 private:
  bool fail(const char* why) {
    failed_ = why;
    return false;
  }
  // 0 to 8 bytes.
  bool take(std::size_t bytes, std::uint64_t& value) {
    if (end_ - at_ >= 8) [[likely]] {
      value = load<std::uint64_t>(at_) & kByteMasks[bytes];
    } else {
      if (static_cast<std::size_t>(end_ - at_) < bytes) return fail(kCutShort);
      value = load_bytes(at_, bytes);
    }
    at_ += bytes;
    return true;
  }
  bool read_fixed(unsigned tag, const ReadField& plan, const Field& field, Value& value);
  bool read_text(unsigned tag, std::string_view& text);

  ValueHistory& history_;
  const std::byte* at_;
  const std::byte* end_;
  const char* failed_ = nullptr;
};

bool Arguments::read_fixed(unsigned tag, const ReadField& plan, const Field& field, Value& value) {
  const unsigned bytes = kTagLengths[static_cast<std::size_t>(plan.coding)][tag];
  if (bytes == kNoSuchTag) return fail(kBadTag);
  if (plan.action == ReadAction::kSkip) return skip(bytes);
  std::uint64_t raw = 0;
  if (!take(bytes < 8 ? bytes : 8, raw)) return false;
  if (bytes > 8 && !take(bytes - 8, value.high)) return false;
  switch (plan.action) {
    case ReadAction::kInteger:
    case ReadAction::kEnumeration: {
      const std::uint64_t number = kIntegerTags[tag].value(raw, value.u64);
      value.u64 = ((number & plan.value_mask) ^ plan.sign_bit) - plan.sign_bit;
      if (plan.action == ReadAction::kEnumeration) value.text = field.enum_table->find(value.i64);
      return true;
    }
    case ReadAction::kFloat32:
      read_float32(tag, raw, value);
      return true;
    case ReadAction::kFloat64: {
      const std::byte* p = reinterpret_cast<const std::byte*>(&raw);
      read_float64(tag, history_.numbers(), p, value);
      return true;
    }
    case ReadAction::kInteger128:
      if (tag == kTagWhole128) {
        value.u64 = raw;
      } else {
        read_integer128(tag, raw, value);
      }
      return true;
    default:
      value.u64 = raw;  // f80
      return true;
  }
}

inline bool Arguments::read_text(unsigned tag, std::string_view& text) {
  std::uint64_t raw = 0;
  switch (tag) {
    case kTagText1:
    case kTagText2:
    case kTagText4:
    case kTagTextSameLength:
      raw = text.size();
      if (tag != kTagTextSameLength && !take(tag == kTagText4 ? 4 : tag, raw)) return false;
      if (static_cast<std::size_t>(end_ - at_) < raw) return fail(kCutShort);
      text = {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(raw)};
      history_.set_text(text_slot(at_, raw), text);
      at_ += raw;
      return true;
    case kTagTextSlot:
      if (!take(1, raw)) return false;
      text = history_.text(raw);
      return true;
    case kTagTextEmpty:
      text = {};
      return true;
    default:
      return fail(kBadTag);
  }
}

inline bool Arguments::read(unsigned tag, const ReadField& plan, const Field& field, Value& value) {
  if (tag == kTagSame) return true;
  if (!is_variable(plan.coding)) return read_fixed(tag, plan, field, value);
  std::string_view text = value.text;
  if (!read_text(tag, text)) return false;
  if (plan.action == ReadAction::kElements) {
    if (text.size() % plan.element_bytes != 0) return fail(kBadArray);
    value.count = static_cast<std::uint32_t>(text.size() / plan.element_bytes);
  } else if (plan.action == ReadAction::kTextElements &&
             !text_elements_fit(reinterpret_cast<const std::byte*>(text.data()), text.size(),
                                value.count)) {
    return fail(kBadArray);
  }
  value.text = text;
  return true;
}

}  // namespace

const std::byte* read_numbers(const ReadPlan& plan, const Site& site, Value* values,
                              ValueHistory& history, const std::byte* at) {
  const std::byte* tags = at;
  at += plan.tag_bytes;
  std::uint64_t* const numbers = history.numbers();
  unsigned shift = 0;
  for (const ReadField& f : plan.fields) {
    const unsigned tag = static_cast<unsigned>(*tags) >> shift & 15;
    tags += shift >> 2;
    shift ^= 4;
    Value& value = values[f.field];
    const std::uint8_t bytes = kTagLengths[static_cast<std::size_t>(f.coding)][tag];
    if (bytes == kNoSuchTag) return nullptr;
    switch (f.action) {
      case ReadAction::kInteger:
        read_integer(tag, f, at, value);
        break;
      case ReadAction::kFloat64:
        read_float64(tag, numbers, at, value);
        break;
      case ReadAction::kSkip:
        at += bytes;
        break;
      case ReadAction::kEnumeration:
        read_integer(tag, f, at, value);
        value.text = site.fields[f.field].enum_table->find(value.i64);
        break;
      case ReadAction::kFloat32:
        if (tag != kTagSame) {
          read_float32(tag, load<std::uint64_t>(at) & kByteMasks[bytes], value);
        }
        at += bytes;
        break;
      case ReadAction::kInteger128:
        if (tag == kTagWhole128) {
          value.u64 = load<std::uint64_t>(at);
          value.high = load<std::uint64_t>(at + 8);
        } else if (tag != kTagSame) {
          read_integer128(tag, load<std::uint64_t>(at) & kByteMasks[bytes], value);
        }
        at += bytes;
        break;
      default:  // f80
        if (tag != kTagSame) {
          value.u64 = load<std::uint64_t>(at);
          value.high = load<std::uint16_t>(at + 8);
        }
        at += bytes;
        break;
    }
  }
  return at;
}

const std::byte* read_any_arguments(const ReadPlan& plan, const Site& site, Value* values,
                                    ValueHistory& history, const std::byte* at,
                                    const std::byte* end, const char** why) {
  Arguments arguments(history, at, end);
  const std::byte* tags = at;
  if (!arguments.skip(plan.tag_bytes)) {
    *why = arguments.failure();
    return nullptr;
  }
  unsigned shift = 0;
  for (const ReadField& f : plan.fields) {
    const unsigned tag = static_cast<unsigned>(*tags) >> shift & 15;
    tags += shift >> 2;
    shift ^= 4;
    if (!arguments.read(tag, f, site.fields[f.field], values[f.field])) {
      *why = arguments.failure();
      return nullptr;
    }
  }
  return arguments.at();
}

}  // namespace ringside::trace

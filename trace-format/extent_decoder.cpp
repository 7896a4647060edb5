#include "trace-format/extent_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_layout.hpp"
#include "trace-format/little_endian.hpp"
#include "trace-format/value_codec.hpp"

namespace ringside::trace {
namespace {

constexpr std::uint32_t kNoValues = std::numeric_limits<std::uint32_t>::max();

constexpr const char* kCutShort = "a record runs past the end of its extent";
constexpr const char* kBadTag = "an argument tag that its type does not have";

constexpr std::array<std::uint64_t, 9> kMasks = {
    0,
    0xFF,
    0xFFFF,
    0xFFFFFF,
    0xFFFFFFFF,
    0xFFFFFFFFFF,
    0xFFFFFFFFFFFF,
    0xFFFFFFFFFFFFFF,
    ~std::uint64_t{0},
};

// What the bytes behind an integer's tag stand for: with `relative` the distance to the previous
// value less 1, with `complement` all bits turned over (which makes a distance one downwards).
struct IntegerTag {
  std::uint64_t relative;    // 0 or all ones
  std::uint64_t complement;  // 0 or all ones
  std::uint32_t bytes;
};

inline constexpr std::array<IntegerTag, 16> kIntegerTags = [] {
  std::array<IntegerTag, 16> tags{};
  constexpr std::uint64_t kYes = ~std::uint64_t{0};
  for (std::uint32_t n = 1; n <= 8; ++n) tags[n] = {0, 0, n};
  for (std::uint32_t n = 1; n <= 4; ++n) tags[kTagComplement + n] = {0, kYes, n};
  tags[kTagUp1] = {kYes, 0, 1};
  tags[kTagDown1] = {kYes, kYes, 1};
  tags[kTagUp2] = {kYes, 0, 2};
  return tags;
}();

std::uint64_t integer_value(const IntegerTag& t, std::uint64_t raw, std::uint64_t previous) {
  const std::uint64_t origin = (previous + 1 + t.complement) & t.relative;
  return (raw ^ t.complement) + origin;
}

}  // namespace

bool ExtentHeader::parse(std::span<const std::byte> payload, ExtentHeader& header) {
  if (payload.size() < kExtentHeaderBytes) return false;
  const std::byte* p = payload.data();
  header.stream_id = load<std::uint64_t>(p);
  header.first_sequence = load<std::uint64_t>(p + 8);
  header.base_tsc = load<std::uint64_t>(p + 16);
  header.min_tsc = load<std::uint64_t>(p + 24);
  header.max_tsc = load<std::uint64_t>(p + 32);
  header.records = load<std::uint32_t>(p + 40);
  header.flags = load<std::uint32_t>(p + 44);
  header.dropped = load<std::uint64_t>(p + 48);
  header.drop_cause = load<std::uint32_t>(p + 56);
  header.records_bytes = load<std::uint32_t>(p + 60);
  return true;
}

bool ExtentDecoder::fail(const char* why) {
  failed_ = why;
  return false;
}

bool ExtentDecoder::open(std::span<const std::byte> payload, const SiteTable& sites,
                         std::string* why) {
  const auto refuse = [&](const char* reason) {
    if (why != nullptr) *why = reason;
    done_ = header_.records = 0;
    at_ = end_ = nullptr;
    return fail(reason);
  };
  failed_ = nullptr;
  states_.clear();
  site_ids_.clear();
  values_.clear();
  if (!ExtentHeader::parse(payload, header_)) return refuse("an extent shorter than its header");
  const std::size_t rest = payload.size() - kExtentHeaderBytes;
  if (header_.records_bytes > rest) return refuse("an extent shorter than its records");
  if (header_.records > header_.records_bytes) {
    return refuse("an extent with more records than bytes");
  }
  const std::size_t table_bytes = rest - header_.records_bytes;
  if (table_bytes % 4 != 0 || table_bytes / 4 > kMaxExtentSites) {
    return refuse("an extent whose site table is no list of ids");
  }
  at_ = payload.data() + kExtentHeaderBytes;
  end_ = at_ + header_.records_bytes;
  if (++open_count_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    open_count_ = 1;
  }
  seen_.resize(std::max<std::size_t>(seen_.size(), sites.id_limit()));
  site_ids_.resize(table_bytes / 4);
  if (table_bytes != 0) std::memcpy(site_ids_.data(), end_, table_bytes);
  states_.reserve(site_ids_.size());
  for (std::uint32_t i = 0; i < site_ids_.size(); ++i) {
    const std::uint32_t id = site_ids_[i];
    const Site* const site = sites.find(id);
    if (site != nullptr) {
      // Each site once: what a decoder has to remember stays in proportion to the dictionary.
      if (seen_[id] == open_count_) return refuse("an extent whose site table repeats a site");
      seen_[id] = open_count_;
    }
    states_.push_back({site, kNoValues, i});
  }
  time_ = header_.base_tsc;
  done_ = 0;
  previous_index_ = 0;
  if (numbers_used_) numbers_.fill(0);
  if (texts_used_) texts_.fill({});
  numbers_used_ = texts_used_ = false;
  return true;
}

inline bool ExtentDecoder::take(std::size_t bytes, std::uint64_t& value) {
  if (end_ - at_ >= 8) [[likely]] {
    value = load<std::uint64_t>(at_) & kMasks[bytes];
  } else {
    if (static_cast<std::size_t>(end_ - at_) < bytes) return fail(kCutShort);
    value = load_bytes(at_, bytes);
  }
  at_ += bytes;
  return true;
}

// Tag, time and index of a record that is no extension: the usual case, with one check of the end.
inline bool ExtentDecoder::take_head(unsigned& place, std::uint64_t& delta, std::uint64_t& index) {
  constexpr std::ptrdiff_t kMost = 1 + 8 + 8;  // the index is loaded with 8 bytes
  if (end_ - at_ < kMost) return false;
  const auto tag = static_cast<unsigned>(*at_);
  const unsigned code = tag & 15;
  place = tag >> 4;
  if (place >= kPlaceExtension || code > 8) return false;
  const unsigned index_bytes = place >> 1;
  delta = load<std::uint64_t>(at_ + 1) & kMasks[code];
  index = load<std::uint64_t>(at_ + 1 + code) & kMasks[index_bytes];
  at_ += 1 + code + index_bytes;
  return true;
}

// The same with all cases and checks.
bool ExtentDecoder::take_any_head(Record& record, unsigned& place, std::uint64_t& delta,
                                  std::uint64_t& index) {
  std::uint64_t tag = 0;
  if (!take(1, tag)) return false;
  if (tag >> 4 == kPlaceExtension) {
    if (tag != kPlaceExtension << 4) return fail("an extension with a time code");
    if (!read_extension(record) || !take(1, tag)) return false;
  }
  place = static_cast<unsigned>(tag >> 4);
  const auto code = static_cast<unsigned>(tag & 15);
  if (place >= kPlaceExtension || code > kTimeBack) return fail("a record with an invalid tag");
  return take(code == kTimeBack ? 8 : code, delta) && take(place >> 1, index);
}

bool ExtentDecoder::take_leb128(std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    std::uint64_t byte = 0;
    if (!take(1, byte)) return false;
    if (shift == 63 && byte > 1) break;
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return fail("a number longer than 64 bits");
}

bool ExtentDecoder::next(Record& record) {
  if (failed_ != nullptr) return false;
  if (done_ == header_.records) {
    if (at_ != end_) return fail("an extent with bytes behind its last record");
    return false;
  }
  record.ext_flags = 0;
  record.stack_id = 0;
  record.substream = 0;
  record.duration = 0;
  record.cut = false;
  unsigned place = 0;
  std::uint64_t delta = 0;
  std::uint64_t index = 0;
  if (!take_head(place, delta, index) && !take_any_head(record, place, delta, index)) return false;
  time_ += delta;
  if (place < kPlaceIndex1 && !states_.empty()) index = states_[previous_index_].successor;
  if (index >= states_.size()) return fail("a record of a site outside the extent's site table");
  states_[previous_index_].successor = static_cast<std::uint32_t>(index);
  previous_index_ = static_cast<std::uint32_t>(index);
  SiteState& state = states_[index];
  if (state.values == kNoValues) {
    if (state.site == nullptr) return fail("a record of a site that the dictionary lacks");
    const std::vector<Value>& initial = state.site->initial_values;
    state.values = static_cast<std::uint32_t>(values_.size());
    values_.insert(values_.end(), initial.begin(), initial.end());
  }
  if ((place & kPlaceSameValues) == 0 && !read_arguments(state)) return false;

  record.tsc = time_;
  record.stream_id = header_.stream_id;
  record.sequence = header_.first_sequence + done_;
  record.site = state.site;
  record.args = {values_.data() + state.values, state.site->initial_values.size()};
  ++done_;
  return true;
}

bool ExtentDecoder::read_extension(Record& record) {
  std::uint64_t flags = 0;
  if (!take(1, flags)) return false;
  if ((flags & ~std::uint64_t{shm::kExtKnownFlags}) != 0) {
    return fail("an extension with unknown flags");
  }
  record.ext_flags = static_cast<std::uint32_t>(flags);
  record.cut = (flags & shm::kExtCut) != 0;
  const auto take_id = [this](std::array<std::uint8_t, 16>& id) {
    if (static_cast<std::size_t>(end_ - at_) < id.size()) return fail(kCutShort);
    std::memcpy(id.data(), at_, id.size());
    at_ += id.size();
    return true;
  };
  if ((flags & shm::kExtSubstream) != 0 && !take_leb128(record.substream)) return false;
  if ((flags & shm::kExtActivity) != 0 && !take_id(record.activity)) return false;
  if ((flags & shm::kExtRelatedActivity) != 0 && !take_id(record.related)) return false;
  if ((flags & shm::kExtStack) != 0) {
    std::uint64_t stack = 0;
    if (!take_leb128(stack)) return false;
    if (stack > std::numeric_limits<std::uint32_t>::max()) return fail("a stack id beyond 32 bits");
    record.stack_id = static_cast<std::uint32_t>(stack);
  }
  return (flags & shm::kExtDuration) == 0 || take_leb128(record.duration);
}

bool ExtentDecoder::read_arguments(SiteState& state) {
  const SitePlan& plan = state.site->plan;
  const std::byte* tags = at_;
  if (static_cast<std::size_t>(end_ - at_) < plan.tag_bytes) return fail(kCutShort);
  at_ += plan.tag_bytes;
  Value* const values = values_.data() + state.values;
  unsigned shift = 0;
  for (const FieldPlan& f : plan.fields) {
    const unsigned tag = static_cast<unsigned>(*tags) >> shift & 15;
    tags += shift >> 2;
    shift ^= 4;
    if (tag == kTagSame) continue;
    if (!read_value(tag, f, state.site->fields[f.field], values[f.field])) return false;
  }
  return true;
}

inline bool ExtentDecoder::read_value(unsigned tag, const FieldPlan& plan, const Field& field,
                                      Value& value) {
  std::uint64_t raw = 0;
  switch (plan.coding) {
    case Coding::kInteger:
      if (!take(kIntegerTags[tag].bytes, raw)) return false;
      raw = integer_value(kIntegerTags[tag], raw, value.u64);
      value.u64 = ((raw & plan.value_mask) ^ plan.sign_bit) - plan.sign_bit;
      if (field.enum_table != nullptr) value.text = field.enum_table->find(value.i64);
      return true;
    case Coding::kFloat32:
      if (tag > 4) return fail(kBadTag);
      if (!take(tag, raw)) return false;
      value.f32 = std::bit_cast<float>(static_cast<std::uint32_t>(raw << (8 * (4 - tag))));
      return true;
    case Coding::kFloat64:
      return read_float64(tag, value);
    case Coding::kInteger128:
      return read_integer128(tag, value);
    case Coding::kFloat80:
      if (tag != 1) return fail(kBadTag);
      return take(8, value.u64) && take(2, value.high);
    case Coding::kText:
    case Coding::kElements:
    case Coding::kTextElements:
      return read_text(tag, plan, value);
  }
  return fail(kBadTag);
}

bool ExtentDecoder::read_float64(unsigned tag, Value& value) {
  std::uint64_t raw = 0;
  if (tag > kTagNumberSlot) return fail(kBadTag);
  if (tag == kTagNumberSlot) {
    if (!take(1, raw)) return false;
    value.f64 = std::bit_cast<double>(numbers_[raw]);
    return true;
  }
  if (!take(tag, raw)) return false;
  raw <<= 8 * (8 - tag);
  numbers_[number_slot(raw)] = raw;
  numbers_used_ = true;
  value.f64 = std::bit_cast<double>(raw);
  return true;
}

bool ExtentDecoder::read_integer128(unsigned tag, Value& value) {
  std::uint64_t raw = 0;
  if (tag == kTagWhole128) return take(8, value.u64) && take(8, value.high);
  if (tag > kTagWhole128) return fail(kBadTag);
  const bool complement = tag > 8;
  if (!take(complement ? tag - 8 : tag, raw)) return false;
  value.u64 = complement ? ~raw : raw;
  value.high = complement ? ~std::uint64_t{0} : 0;
  return true;
}

bool ExtentDecoder::read_text(unsigned tag, const FieldPlan& plan, Value& value) {
  std::uint64_t raw = 0;
  std::string_view text;
  switch (tag) {
    case kTagText1:
    case kTagText2:
    case kTagText4:
    case kTagTextSameLength: {
      raw = value.text.size();
      if (tag != kTagTextSameLength && !take(tag == kTagText4 ? 4 : tag, raw)) return false;
      if (static_cast<std::size_t>(end_ - at_) < raw) return fail(kCutShort);
      text = {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(raw)};
      texts_[text_slot(at_, raw)] = text;
      texts_used_ = true;
      at_ += raw;
      break;
    }
    case kTagTextSlot:
      if (!take(1, raw)) return false;
      text = texts_[raw];
      break;
    case kTagTextEmpty:
      break;
    default:
      return fail(kBadTag);
  }
  if (plan.coding == Coding::kElements) {
    if (text.size() % plan.bytes != 0) return fail("an array that ends inside an element");
    value.count = static_cast<std::uint32_t>(text.size() / plan.bytes);
  } else if (plan.coding == Coding::kTextElements &&
             !text_elements_fit(reinterpret_cast<const std::byte*>(text.data()), text.size(),
                                value.count)) {
    return fail("an array that ends inside an element");
  }
  value.text = text;
  return true;
}

}  // namespace ringside::trace

#pragma once
// An entry of the dictionary. The bytes are the same in the segment's arena and in the dictionary
// blocks of a trace file. Little-endian; every entry is a multiple of 8 bytes.
//
//   site entry (kind 1; kind 3 if it has more than 64 fields)
//     0 u32 entry_bytes      4 u16 kind          6 u16 field_count
//     8 u32 site_id         12 u32 line         16 u64 keywords
//    24 u8 site_kind        25 u8 level         26 u8 format_style   27 u8 site_flags
//    28 u32 name_bytes      32 u32 category_bytes   36 u32 format_bytes
//    40 u32 file_bytes      44 u32 function_bytes
//    48 field_count x { 0 u8 type  1 u8 flags  2 u16 name_bytes  4 u32 constant_bytes
//                       8 u32 enum_table_id  12 u32 0 }
//       name, category, format, file, function; then per field: name, constant value
//
//   enum table (kind 2)
//     0 u32 entry_bytes      4 u16 kind          6 u16 value_count
//     8 u32 enum_table_id   12 u32 0
//    16 value_count x { 0 i64 value  8 u32 name_bytes  12 u32 0 }, then the names
//
// Reading: SiteEntryView::parse checks every length against the entry, and the entry against the
// available bytes, before anything is used; it works on a private copy of shared memory.

#include "required_platform.hpp"
// Before all others.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "field_type.hpp"
#include "level.hpp"

namespace ringside::shm {

inline constexpr std::uint16_t kEntrySite = 1;
inline constexpr std::uint16_t kEntryEnumTable = 2;
// A site entry with more fields than readers before format 1.3 and ABI 1.7 accept. They skip kinds
// that they do not know, and would take all entries after an invalid one for damaged.
inline constexpr std::uint16_t kEntryWideSite = 3;
inline constexpr std::uint32_t kEntryHeaderBytes = 8;
inline constexpr std::uint32_t kSiteEntryFixedBytes = 48;
inline constexpr std::uint32_t kFieldEntryBytes = 16;
inline constexpr std::uint32_t kMaxEntryBytes = 1U << 20;
inline constexpr std::uint16_t kMaxFields = 512;
inline constexpr std::uint16_t kMaxNarrowFields = 64;  // of an entry of kind kEntrySite
// Names of fields derive from argument expressions; longer ones are cut.
inline constexpr std::size_t kMaxFieldNameBytes = 1024;
inline constexpr std::size_t kMaxFormerFieldNameBytes = 64;  // by earlier libraries

// Readers treat kinds that they do not know as events.
enum class SiteKind : std::uint8_t {
  kLog = 1,
  kEvent = 2,
  kSpan = 3,
  kCounter = 4,
  kHistogram = 5,  // the first field is one sample of a distribution
  kContext = 6,    // its record is the context of the stream's records from there on
};

// The arguments of a context's record: the library writes at most the former, and consumers accept
// the latter, because values that they hide may become longer.
inline constexpr std::size_t kMaxOwnContextBytes = 480;
inline constexpr std::size_t kMaxContextBytes = 1008;

inline constexpr std::uint8_t kSiteConsumerClock = 1U << 0;  // stamped by the consumer

inline constexpr std::uint8_t kFieldConstant = 1U << 0;   // value in the entry, none in records
inline constexpr std::uint8_t kFieldFormatArg = 1U << 1;  // a `*` width or precision

struct FieldDescription {
  FieldType type{};
  std::uint8_t flags = 0;
  std::uint8_t array = 0;  // 1: array of `type`
  std::uint32_t enum_table_id = 0;
  std::string_view name;
  std::string_view constant;
};

struct SiteDescription {
  std::uint32_t site_id = 0;
  std::uint32_t line = 0;
  std::uint64_t keywords = 0;
  SiteKind kind = SiteKind::kLog;
  Level level = Level::kNone;
  std::uint8_t format_style = 0;
  std::uint8_t flags = 0;
  std::string_view name;
  std::string_view category;
  std::string_view format;
  std::string_view file;
  std::string_view function;
};

namespace detail {

template <class T>
T load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
void store(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

inline std::string_view text(const std::byte* p, std::size_t bytes) {
  return {reinterpret_cast<const char*>(p), bytes};
}

}  // namespace detail

// Size of the entry that starts at `bytes`; 0 if it is incomplete or invalid.
inline std::uint32_t entry_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() < kEntryHeaderBytes) return 0;
  const auto size = detail::load<std::uint32_t>(bytes.data());
  const bool sound = size >= 16 && size % 8 == 0 && size <= kMaxEntryBytes && size <= bytes.size();
  return sound ? size : 0;
}

inline std::uint16_t entry_kind(std::span<const std::byte> entry) {
  return detail::load<std::uint16_t>(entry.data() + 4);
}

inline bool is_site_entry(std::uint16_t kind) {
  return kind == kEntrySite || kind == kEntryWideSite;
}

// A checked view of one site entry; it refers to the bytes that it was parsed from.
class SiteEntryView {
 public:
  // `entry` is exactly one entry (see entry_bytes) with is_site_entry().
  static std::optional<SiteEntryView> parse(std::span<const std::byte> entry) {
    if (entry.size() < kSiteEntryFixedBytes || !is_site_entry(entry_kind(entry))) return {};
    SiteEntryView view;
    const std::byte* p = entry.data();
    SiteDescription& d = view.site_;
    view.field_count_ = detail::load<std::uint16_t>(p + 6);
    d.site_id = detail::load<std::uint32_t>(p + 8);
    d.line = detail::load<std::uint32_t>(p + 12);
    d.keywords = detail::load<std::uint64_t>(p + 16);
    d.kind = static_cast<SiteKind>(detail::load<std::uint8_t>(p + 24));
    d.level = static_cast<Level>(detail::load<std::uint8_t>(p + 25));
    d.format_style = detail::load<std::uint8_t>(p + 26);
    d.flags = detail::load<std::uint8_t>(p + 27);
    const bool is_wide = entry_kind(entry) == kEntryWideSite;
    if (view.field_count_ > (is_wide ? kMaxFields : kMaxNarrowFields)) return {};
    view.fields_ = p + kSiteEntryFixedBytes;
    std::size_t at = kSiteEntryFixedBytes + std::size_t{view.field_count_} * kFieldEntryBytes;
    if (at > entry.size()) return {};
    std::string_view* const texts[] = {&d.name, &d.category, &d.format, &d.file, &d.function};
    for (std::size_t i = 0; i < 5; ++i) {
      const auto length = detail::load<std::uint32_t>(p + 28 + 4 * i);
      if (length > entry.size() - at) return {};
      *texts[i] = detail::text(p + at, length);
      at += length;
    }
    view.field_texts_ = p + at;
    for (std::uint16_t i = 0; i < view.field_count_; ++i) {
      const std::byte* f = view.fields_ + std::size_t{i} * kFieldEntryBytes;
      if (!is_valid_code(detail::load<std::uint8_t>(f))) return {};
      const std::size_t lengths = std::size_t{detail::load<std::uint16_t>(f + 2)} +
                                  std::size_t{detail::load<std::uint32_t>(f + 4)};
      if (lengths > entry.size() - at) return {};
      at += lengths;
    }
    return view;
  }

  const SiteDescription& site() const { return site_; }
  std::uint16_t field_count() const { return field_count_; }

  // Calls visit(index, FieldDescription) for each field in order.
  template <class Visit>
  void for_each_field(Visit&& visit) const {
    const std::byte* text = field_texts_;
    for (std::uint16_t i = 0; i < field_count_; ++i) {
      const std::byte* f = fields_ + std::size_t{i} * kFieldEntryBytes;
      const auto code = detail::load<std::uint8_t>(f);
      FieldDescription field;
      field.array = (code & kArrayFlag) != 0 ? 1 : 0;
      field.type = static_cast<FieldType>(code & ~kArrayFlag);
      field.flags = detail::load<std::uint8_t>(f + 1);
      field.enum_table_id = detail::load<std::uint32_t>(f + 8);
      const auto name_bytes = detail::load<std::uint16_t>(f + 2);
      const auto constant_bytes = detail::load<std::uint32_t>(f + 4);
      field.name = detail::text(text, name_bytes);
      field.constant = detail::text(text + name_bytes, constant_bytes);
      text += name_bytes + std::size_t{constant_bytes};
      visit(i, field);
    }
  }

 private:
  SiteEntryView() = default;
  SiteDescription site_;
  const std::byte* fields_ = nullptr;
  const std::byte* field_texts_ = nullptr;
  std::uint16_t field_count_ = 0;
};

// Bytes that write_site_entry needs.
inline std::size_t site_entry_bytes(const SiteDescription& site,
                                    std::span<const FieldDescription> fields) {
  std::size_t bytes = kSiteEntryFixedBytes + fields.size() * kFieldEntryBytes + site.name.size() +
                      site.category.size() + site.format.size() + site.file.size() +
                      site.function.size();
  for (const FieldDescription& f : fields) bytes += f.name.size() + f.constant.size();
  return (bytes + 7) & ~std::size_t{7};
}

// Writes the entry to `out`: site_entry_bytes() bytes, all of them written. At most kMaxFields.
inline void write_site_entry(const SiteDescription& site, std::span<const FieldDescription> fields,
                             std::byte* out) {
  const std::size_t size = site_entry_bytes(site, fields);
  std::memset(out, 0, size);
  detail::store(out, static_cast<std::uint32_t>(size));
  detail::store(out + 4, fields.size() > kMaxNarrowFields ? kEntryWideSite : kEntrySite);
  detail::store(out + 6, static_cast<std::uint16_t>(fields.size()));
  detail::store(out + 8, site.site_id);
  detail::store(out + 12, site.line);
  detail::store(out + 16, site.keywords);
  detail::store(out + 24, static_cast<std::uint8_t>(site.kind));
  detail::store(out + 25, static_cast<std::uint8_t>(site.level));
  detail::store(out + 26, site.format_style);
  detail::store(out + 27, site.flags);
  std::byte* f = out + kSiteEntryFixedBytes;
  std::byte* at = f + fields.size() * kFieldEntryBytes;
  const auto append = [&at](std::string_view text) {
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    at += text.size();
  };
  const std::string_view texts[] = {site.name, site.category, site.format, site.file,
                                    site.function};
  for (std::size_t i = 0; i < 5; ++i) {
    detail::store(out + 28 + 4 * i, static_cast<std::uint32_t>(texts[i].size()));
    append(texts[i]);
  }
  for (const FieldDescription& field : fields) {
    const auto code = static_cast<std::uint8_t>(static_cast<std::uint8_t>(field.type) |
                                                (field.array != 0 ? kArrayFlag : 0));
    detail::store(f, code);
    detail::store(f + 1, field.flags);
    detail::store(f + 2, static_cast<std::uint16_t>(field.name.size()));
    detail::store(f + 4, static_cast<std::uint32_t>(field.constant.size()));
    detail::store(f + 8, field.enum_table_id);
    f += kFieldEntryBytes;
    append(field.name);
    append(field.constant);
  }
}

}  // namespace ringside::shm

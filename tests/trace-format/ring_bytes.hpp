// Makes dictionary entries and ring records as the library does, for tests of their readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside::trace::testing {

using Bytes = std::vector<std::byte>;

inline void append(Bytes& out, std::string_view bytes) {
  const auto* p = reinterpret_cast<const std::byte*>(bytes.data());
  out.insert(out.end(), p, p + bytes.size());
}

inline void append(Bytes& out, const Bytes& bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// The bytes of a number as a record stores it.
template <class T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// A text (or array: with its count) as a record stores it.
inline std::string raw_text(std::string_view text) {
  return raw(static_cast<std::uint32_t>(text.size())) + std::string(text);
}

struct TestField {
  shm::FieldType type;  // with the array flag
  std::string name = {};
  bool constant = false;
  std::string value = {};  // of a constant, as in the dictionary
  std::uint32_t enum_table_id = 0;
};

struct TestSite {
  std::uint32_t id = 1;
  std::vector<TestField> fields = {};
  std::uint8_t flags = 0;
  std::string format = "text";
  shm::Level level = shm::Level::kInfo;
  std::uint8_t style = 1;  // shm::FormatStyle
  std::string category = "test";
  std::string file = "file.cpp";
  shm::SiteKind kind = shm::SiteKind::kLog;
};

inline Bytes site_entry(const TestSite& site) {
  shm::SiteDescription d;
  d.site_id = site.id;
  d.line = 10 * site.id;
  d.keywords = 5;
  d.kind = site.kind;
  d.level = site.level;
  d.format_style = site.style;
  d.flags = site.flags;
  d.name = "site";
  d.category = site.category;
  d.format = site.format;
  d.file = site.file;
  d.function = "f";
  std::vector<shm::FieldDescription> fields;
  for (const TestField& f : site.fields) {
    shm::FieldDescription field;
    field.type = shm::element_type(f.type);
    field.array = shm::is_array(f.type) ? 1 : 0;
    field.flags = f.constant ? shm::kFieldConstant : std::uint8_t{0};
    field.enum_table_id = f.enum_table_id;
    field.name = f.name;
    field.constant = f.value;
    fields.push_back(field);
  }
  Bytes entry(shm::site_entry_bytes(d, fields));
  shm::write_site_entry(d, fields, entry.data());
  return entry;
}

inline Bytes enum_entry(std::uint32_t id,
                        std::initializer_list<std::pair<std::int64_t, std::string>> names) {
  std::string head;
  std::string texts;
  for (const auto& [value, name] : names) {
    head += raw(value) + raw(static_cast<std::uint32_t>(name.size())) + raw(std::uint32_t{0});
    texts += name;
  }
  std::string body = raw(id) + raw(std::uint32_t{0}) + head + texts;
  while (body.size() % 8 != 0) body.push_back('\0');
  Bytes entry;
  append(entry, raw(static_cast<std::uint32_t>(8 + body.size())) + raw(shm::kEntryEnumTable) +
                    raw(static_cast<std::uint16_t>(names.size())) + body);
  return entry;
}

inline std::string plain_record(std::uint32_t id, std::uint64_t tsc, std::string_view args = {}) {
  return raw(shm::make_head(tsc, id)) + std::string(args);
}

// `processor`: its code.
inline std::string clock_record(std::uint64_t tsc, std::uint64_t realtime_ns = 0,
                                std::uint32_t processor = 0) {
  return raw(shm::make_clock_head(tsc, processor)) + raw(tsc) + raw(realtime_ns);
}

inline std::string drop_record(std::uint64_t tsc, std::uint64_t count, shm::LossCause cause) {
  return raw(shm::make_head(tsc, shm::kCodeDrop)) + raw(count) +
         raw(static_cast<std::uint32_t>(cause)) + raw(std::uint32_t{0});
}

inline std::string pad_record(std::uint64_t bytes) {
  std::string pad = raw(shm::make_head(bytes, shm::kCodePad));
  pad.resize(bytes, '\xAA');
  return pad;
}

// `parts` are the optional parts that `flags` announces, in the order of their bits.
inline std::string extended_record(std::uint32_t id, std::uint64_t tsc, std::uint32_t flags,
                                   std::string_view parts, std::string_view args) {
  const auto bytes =
      static_cast<std::uint32_t>(shm::kExtendedHeadBytes + parts.size() + args.size());
  return raw(shm::make_head(tsc, shm::kCodeExtended)) + raw(id) + raw(flags) + raw(bytes) +
         std::string(parts) + std::string(args);
}

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace ringside::trace::testing

#include "tools/fleet/native_columns.hpp"

#include <limits>
#include <utility>

namespace ringside::fleet {
namespace {

// Of LowCardinality: one dictionary in each block, which it contains.
constexpr std::uint64_t kDictionaryVersion = 1;
constexpr std::uint64_t kBlockDictionary = std::uint64_t{1} << 9 | std::uint64_t{1} << 10;

constexpr std::size_t kMostSizeBytes = 10;

char* write_size(char* at, std::uint64_t size) {
  for (; size >= 0x80; size >>= 7) *at++ = static_cast<char>(size | 0x80);
  *at++ = static_cast<char>(size);
  return at;
}

void append_size(std::string& out, std::uint64_t size) {
  char bytes[kMostSizeBytes];
  out.append(bytes, write_size(bytes, size));
}

template <class Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(std::string& out, std::string_view text) {
  append_size(out, text.size());
  out.append(text);
}

}  // namespace

UuidBytes native_uuid(const std::array<std::uint8_t, 16>& id) {
  UuidBytes bytes;
  for (std::size_t i = 0; i < 16; ++i) bytes[i] = id[i < 8 ? 7 - i : 23 - i];
  return bytes;
}

void put_native_size(trace::TextSink& out, std::uint64_t size) {
  out.commit(write_size(out.reserve(kMostSizeBytes), size));
}

std::uint32_t NameColumn::key(std::string_view name) {
  const auto found = known_.find(name);
  if (found != known_.end()) return found->second;
  const auto key = static_cast<std::uint32_t>(names_.size());
  names_.push_back(&known_.emplace(name, key).first->first);
  name_bytes_ += name.size();
  return key;
}

void NameColumn::clear() {
  known_.clear();
  names_.clear();
  keys_.clear();
  name_bytes_ = 0;
}

template <class Index>
void NameColumn::write_keys(std::string& out) const {
  const std::size_t at = out.size();
  out.resize(at + keys_.size() * sizeof(Index));
  char* to = out.data() + at;
  for (const std::uint32_t key : keys_) {
    const auto index = static_cast<Index>(key);
    std::memcpy(to, &index, sizeof index);
    to += sizeof index;
  }
}

void NameColumn::write_dictionary(std::string& out) const {
  const std::size_t count = names_.size();
  const bool is_small = count <= std::numeric_limits<std::uint8_t>::max();
  const bool is_medium = count <= std::numeric_limits<std::uint16_t>::max();
  append_number(out, kDictionaryVersion);
  append_number(out, kBlockDictionary | (is_small ? 0 : is_medium ? 1 : 2));
  append_number(out, std::uint64_t{count});
  for (const std::string* const name : names_) append_text(out, *name);
  append_number(out, std::uint64_t{keys_.size()});
  if (is_small) return write_keys<std::uint8_t>(out);
  if (is_medium) return write_keys<std::uint16_t>(out);
  write_keys<std::uint32_t>(out);
}

void NameColumn::write_texts(std::string& out) const {
  std::vector<std::string> texts(names_.size());
  for (std::size_t i = 0; i < texts.size(); ++i) append_text(texts[i], *names_[i]);
  std::size_t bytes = 0;
  for (const std::uint32_t key : keys_) bytes += texts[key].size();
  out.reserve(out.size() + bytes);
  for (const std::uint32_t key : keys_) out.append(texts[key]);
}

NativeBlock::NativeBlock(std::size_t columns, std::size_t rows) : rows_(rows) {
  std::string head;
  append_size(head, columns);
  append_size(head, rows);
  own(std::move(head));
}

void NativeBlock::own(std::string bytes) {
  owned_.push_back(std::move(bytes));
  pieces_.push_back(owned_.back());
}

void NativeBlock::begin(std::string_view name, std::string_view type) {
  std::string head;
  append_text(head, name);
  append_text(head, type);
  own(std::move(head));
  if (!names_.empty()) names_ += ", ";
  names_ += name;
}

void NativeBlock::add(std::string_view name, std::string_view type,
                      const OptionalNumberColumn& column) {
  begin(name, type);
  pieces_.push_back(column.nulls());
  pieces_.push_back(column.numbers());
}

void NativeBlock::add(std::string_view name, std::string_view type, const TextColumn& column) {
  begin(name, type);
  pieces_.push_back(column.data());
}

void NativeBlock::add(std::string_view name, std::string_view type, const NameColumn& column) {
  begin(name, type);
  std::string data;
  if (type.starts_with("LowCardinality")) {
    column.write_dictionary(data);
  } else {
    column.write_texts(data);
  }
  own(std::move(data));
}

}  // namespace ringside::fleet

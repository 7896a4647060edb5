// Records whose values are in one block of memory (rs_block_record()).

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "libagent/include/ringside/abi.h"
#include "libagent/include/ringside/runtime_statement.h"
#include "libagent/statements/runtime_statements.hpp"
#include "libagent/statements/span_record.hpp"
#include "shm-layout/field_type.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr std::size_t kFirstWords = 2;  // handle and beginning

std::uint64_t word_at(std::span<const char> block, std::size_t index) {
  std::uint64_t word = 0;
  std::memcpy(&word, block.data() + index * kWordBytes, sizeof word);
  return word;
}

// False if the texts are longer or shorter than the rest of the block, or a value is larger than a
// word.
bool read_values(std::span<const char> block, std::span<const std::uint8_t> types,
                 std::span<rs_value> values) {
  std::span<const char> texts = block.subspan((kFirstWords + types.size()) * kWordBytes);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::uint64_t word = word_at(block, kFirstWords + i);
    rs_value& value = values[i];
    value.type = types[i];
    if (shm::is_variable_length(static_cast<shm::FieldType>(types[i]))) {
      if (word > texts.size()) return false;
      value.data = texts.data();
      value.bytes = word;
      texts = texts.subspan(word);
    } else {
      if (shm::fixed_size(static_cast<shm::FieldType>(types[i])) > kWordBytes) return false;
      std::memcpy(&value.integer, &word, sizeof word);
      std::memcpy(&value.number, &word, sizeof word);
    }
  }
  return texts.empty();
}

constexpr std::uint64_t kNotCopied = UINT64_MAX / 2;  // larger than any record

// The bytes of the fields in a record, if they can be copied as they are.
std::uint64_t copied_bytes(const RuntimeStatement& statement, std::span<const char> block) {
  if (!statement.checked.conversions.empty()) return kNotCopied;  // their precision can cut a text
  const rs_signature& signature = statement.signature;
  std::uint64_t texts = block.size() - (kFirstWords + signature.count) * kWordBytes;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < signature.count; ++i) {
    const auto type = static_cast<shm::FieldType>(signature.types[i]);
    if (shm::is_variable_length(type)) {
      const std::uint64_t length = word_at(block, kFirstWords + i);
      if (length > texts) return kNotCopied;
      texts -= length;
      bytes += sizeof(std::uint32_t) + length;
    } else if (shm::fixed_size(type) == kWordBytes) {
      bytes += kWordBytes;
    } else {
      return kNotCopied;
    }
  }
  return texts == 0 ? bytes : kNotCopied;
}

void copy_fields(const RuntimeStatement& statement, std::span<const char> block, unsigned char* p) {
  const rs_signature& signature = statement.signature;
  const char* text = block.data() + (kFirstWords + signature.count) * kWordBytes;
  for (std::size_t i = 0; i < signature.count; ++i) {
    const std::uint64_t word = word_at(block, kFirstWords + i);
    if (!shm::is_variable_length(static_cast<shm::FieldType>(signature.types[i]))) {
      std::memcpy(p, &word, sizeof word);
      p += sizeof word;
      continue;
    }
    const auto length = static_cast<std::uint32_t>(word);
    std::memcpy(p, &length, sizeof length);
    std::memcpy(p + sizeof length, text, length);
    p += sizeof length + length;
    text += length;
  }
}

// A record that needs no cut and no check.
std::int32_t record_copy(RuntimeStatement& statement, std::span<const char> block,
                         std::uint64_t field_bytes) {
  const std::uint64_t begin = word_at(block, 1);
  const bool has_duration = is_span(statement);
  if (has_duration && begin == 0) return 0;
  rs_site& site = statement.site;
  const std::uint8_t state = rs_site_enabled(&site);
  if (state == RS_SWITCH_OFF) return 0;
  const std::uint64_t bytes = field_bytes + (has_duration ? RS_SPAN_HEAD_BYTES : shm::kHeadBytes);
  std::uint64_t tsc = 0;
  const std::uint64_t start = rs_reserve(state, bytes, &tsc);
  if (start >= RS_DROPPED) {
    rs_dropped(&site, start);
    return 1;
  }
  unsigned char* p = rs_place(start);
  const auto id = static_cast<std::uint32_t>(site.id);
  if (has_duration) {
    p = store_span_head(p, id, static_cast<std::uint32_t>(bytes), tsc, begin);
  } else {
    const std::uint64_t head = shm::make_head(tsc, id);
    std::memcpy(p, &head, sizeof head);
    p += sizeof head;
  }
  copy_fields(statement, block, p);
  rs_publish(start, bytes);
  return 1;
}

// For up to `kRoom` fields: statements with few need little of the stack.
template <std::size_t kRoom>
[[gnu::noinline]] std::int32_t record_block(const RuntimeStatement& statement,
                                            std::span<const char> block) {
  const std::span types(statement.signature.types, statement.signature.count);
  std::array<rs_value, kRoom> values;
  if (!read_values(block, types, values)) return RS_REFUSED_COUNT;
  return is_span(statement)
             ? rs_span_record(statement.handle, word_at(block, 1), values.data(),
                              statement.signature.count)
             : rs_statement_record(statement.handle, values.data(), statement.signature.count);
}

std::int32_t record_block(std::span<const char> block) {
  if (block.size() < kFirstWords * kWordBytes) return RS_REFUSED_COUNT;
  const std::uint64_t handle = word_at(block, 0);
  if (handle > INT32_MAX) return RS_REFUSED_HANDLE;
  RuntimeStatement* const statement = runtime_statement(static_cast<std::int32_t>(handle));
  if (statement == nullptr) return RS_REFUSED_HANDLE;
  const std::size_t count = statement->signature.count;
  if (block.size() < (kFirstWords + count) * kWordBytes) return RS_REFUSED_COUNT;
  const std::uint64_t bytes = copied_bytes(*statement, block);
  if (bytes + RS_SPAN_HEAD_BYTES <= rs_thread_state.max_record_bytes) {
    return record_copy(*statement, block, bytes);
  }
  return count <= RS_FEW_FIELDS ? record_block<RS_FEW_FIELDS>(*statement, block)
                                : record_block<RS_MAX_FIELDS>(*statement, block);
}

}  // namespace
}  // namespace ringside

std::int32_t rs_block_record(const void* block, std::uint64_t bytes) {
  if (block == nullptr) return RS_REFUSED_POINTER;
  return ringside::record_block({static_cast<const char*>(block), bytes});
}

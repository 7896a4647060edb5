#include "tools/interop/record_cut.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace ringside::tool {
namespace {

constexpr std::size_t kCountBytes = sizeof(std::uint32_t);

std::uint32_t count_at(std::string_view bytes) {
  std::uint32_t count = 0;
  assert(bytes.size() >= sizeof count);
  std::memcpy(&count, bytes.data(), sizeof count);
  return count;
}

}  // namespace

std::uint32_t texts_that_fit(std::string_view texts, std::uint32_t count, std::size_t most_bytes,
                             std::size_t* bytes) {
  *bytes = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t next = *bytes + kCountBytes + count_at(texts.substr(*bytes));
    if (next > most_bytes) return i;
    *bytes = next;
  }
  return count;
}

std::string cut_values(const trace::SitePlan& plan, std::string_view values,
                       std::size_t most_bytes) {
  std::string cut;
  std::size_t reserved = plan.minimal_bytes;  // for the remaining fields
  for (const trace::FieldPlan& field : plan.fields) {
    if (!trace::is_variable(field.coding)) {
      cut += values.substr(0, field.bytes);
      values.remove_prefix(field.bytes);
      reserved -= field.bytes;
      continue;
    }
    reserved -= kCountBytes;
    const std::uint32_t there = count_at(values);
    values.remove_prefix(kCountBytes);
    const std::size_t room = most_bytes - cut.size() - kCountBytes - reserved;
    std::uint32_t kept = 0;
    std::size_t kept_bytes = 0;
    std::size_t all_bytes = 0;
    if (field.coding == trace::Coding::kTextElements) {
      texts_that_fit(values, there, values.size(), &all_bytes);
      kept = texts_that_fit(values, there, room, &kept_bytes);
    } else {
      const std::size_t each = field.coding == trace::Coding::kText ? 1 : field.bytes;
      all_bytes = there * each;
      kept = static_cast<std::uint32_t>(std::min<std::size_t>(there, room / each));
      kept_bytes = kept * each;
    }
    cut.append(reinterpret_cast<const char*>(&kept), sizeof kept);
    cut += values.substr(0, kept_bytes);
    values.remove_prefix(all_bytes);
  }
  return cut;
}

}  // namespace ringside::tool

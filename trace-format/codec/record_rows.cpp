#include "trace-format/codec/record_rows.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ringside::trace {
namespace {

// Whether the field's values differ only in Value::u64.
bool is_one_word(Coding coding, shm::FieldType type) {
  if (type == shm::FieldType::enumeration) return false;  // they have names
  return coding == Coding::kInteger || coding == Coding::kFloat32 || coding == Coding::kFloat64;
}

}  // namespace

const RecordRows::Layout& RecordRows::make_layout(const Site& site) {
  if (site.id >= layouts_.size()) layouts_.resize(site.id + std::size_t{1});
  auto layout = std::make_unique<Layout>();
  layout->site = &site;
  for (const FieldPlan& field : site.plan.fields) {
    (is_one_word(field.coding, field.type) ? layout->words : layout->values).push_back(field.field);
  }
  layout->numbers_only = layout->words.size() == site.fields.size();
  layout->args = site.initial_values;
  layouts_[site.id] = std::move(layout);
  return *layouts_[site.id];
}

RecordRows::Row RecordRows::add(std::uint64_t unix_ns, const Record& record) {
  static_assert(sizeof(Head) % 8 == 0 && sizeof(Value) % 8 == 0);
  if (words_ == nullptr) {
    words_ = std::make_unique_for_overwrite<std::uint64_t[]>(kWords + kMostRowWords + 16);
  }
  const Site& site = *record.site;
  const bool is_known =
      site.id < layouts_.size() && layouts_[site.id] != nullptr && layouts_[site.id]->site == &site;
  const Layout& layout = is_known ? *layouts_[site.id] : make_layout(site);
  const auto row = static_cast<Row>(used_);
  std::uint64_t* to = words_.get() + row;
  const bool extended = !record.is_empty();
  const Head head{unix_ns,
                  record.tsc,
                  record.sequence,
                  site.id,
                  static_cast<std::uint16_t>(extended ? 1 : 0),
                  static_cast<std::uint16_t>(record.processor)};
  std::memcpy(to, &head, sizeof head);
  to += kHeadWords;
  if (extended) [[unlikely]] {
    const RecordExtension& extension = record;
    std::memcpy(to, &extension, sizeof extension);
    to += kExtensionWords;
  }
  const Value* const args = record.args.data();
  if (layout.numbers_only) {
    const std::size_t count = record.args.size();
    for (std::size_t i = 0; i < count; ++i) to[i] = args[i].u64;
    to += count;
  } else {
    for (const std::uint16_t field : layout.words) *to++ = args[field].u64;
    for (const std::uint16_t field : layout.values) {
      std::memcpy(to, args + field, sizeof(Value));
      to += kValueWords;
    }
  }
  used_ = static_cast<std::size_t>(to - words_.get());
  return row;
}

void RecordRows::get(Row row, Record& record) {
  const std::uint64_t* from = words_.get() + row;
  Head head;
  std::memcpy(static_cast<void*>(&head), from, sizeof head);
  from += kHeadWords;
  if (head.extended != 0) [[unlikely]] {
    std::memcpy(static_cast<void*>(static_cast<RecordExtension*>(&record)), from,
                sizeof(RecordExtension));
    from += kExtensionWords;
  } else if (!record.is_empty()) {
    static_cast<RecordExtension&>(record) = {};
  }
  record.tsc = head.tsc;
  record.sequence = head.sequence;
  record.processor = head.processor;
  Layout& layout = *layouts_[head.site];
  record.site = layout.site;
  Value* const args = layout.args.data();
  const std::size_t count = layout.args.size();
  record.args = {args, count};
  if (layout.numbers_only) {
    for (std::size_t i = 0; i < count; ++i) args[i].u64 = from[i];
    return;
  }
  for (const std::uint16_t field : layout.words) args[field].u64 = *from++;
  for (const std::uint16_t field : layout.values) {
    std::memcpy(static_cast<void*>(args + field), from, sizeof(Value));
    from += kValueWords;
  }
}

}  // namespace ringside::trace

#include "consumerd/rules/field_redaction.hpp"

#include "consumerd/rules/redacted_name.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::consumer {
namespace {

using trace::Coding;

// Size of a field at the front of valid arguments.
std::size_t value_bytes(const trace::FieldPlan& field, const std::byte* value) {
  if (!trace::is_variable(field.coding)) return field.bytes;
  const auto count = trace::load<std::uint32_t>(value);
  switch (field.coding) {
    case Coding::kText:
      return 4 + std::size_t{count};
    case Coding::kTextElements: {
      std::size_t at = 4;
      for (std::uint32_t i = 0; i < count; ++i) {
        at += 4 + std::size_t{trace::load<std::uint32_t>(value + at)};
      }
      return at;
    }
    default:
      return 4 + std::size_t{count} * field.bytes;
  }
}

void append_bytes(std::span<const std::byte> bytes, std::vector<std::byte>* out) {
  out->insert(out->end(), bytes.begin(), bytes.end());
}

}  // namespace

std::unique_ptr<FieldRedaction> FieldRedaction::of_site(
    const trace::Site& site, const std::vector<const RedactionRule*>& rules,
    std::vector<std::string>* constants) {
  std::vector<const RedactionRule*> of_field(site.fields.size());
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    for (const RedactionRule* rule : rules) {
      if (of_field[i] == nullptr && why_redacted(*rule, site.fields[i].name)) of_field[i] = rule;
    }
    if (of_field[i] != nullptr && site.fields[i].is_constant()) {
      constants->push_back(site.fields[i].name);
    }
  }
  auto redaction = std::make_unique<FieldRedaction>();
  redaction->most_argument_bytes_ =
      site.kind == shm::SiteKind::kContext ? shm::kMaxContextBytes : shm::kMaxRecordBytes;
  bool any = false;
  for (const trace::FieldPlan& plan : site.plan.fields) {
    const RedactionRule* const rule = of_field[plan.field];
    any = any || rule != nullptr;
    redaction->parts_.push_back(
        {&plan, rule != nullptr, rule == nullptr ? std::string() : rule->text});
  }
  return any ? std::move(redaction) : nullptr;
}

std::vector<std::uint16_t> FieldRedaction::hidden_fields() const {
  std::vector<std::uint16_t> hidden;
  for (const Part& part : parts_) {
    if (part.hidden) hidden.push_back(static_cast<std::uint16_t>(part.plan->field));
  }
  return hidden;
}

void FieldRedaction::append(const trace::RingRecordView& record,
                            std::vector<std::byte>* out) const {
  const std::size_t begin = out->size();
  append_arguments(record, true, out);
  // The replacement may be longer than the text.
  const std::size_t bytes = out->size() - begin;
  const std::size_t head_bytes = record.bytes.size() - record.arguments.size();
  if (bytes > shm::kMaxRecordBytes || bytes - head_bytes > most_argument_bytes_) {
    out->resize(begin);
    append_arguments(record, false, out);
  }
  if (record.extended) {
    constexpr std::size_t kLengthAt = 16;
    trace::store(out->data() + begin + kLengthAt, static_cast<std::uint32_t>(out->size() - begin));
  }
}

void FieldRedaction::append_arguments(const trace::RingRecordView& record, bool with_text,
                                      std::vector<std::byte>* out) const {
  append_bytes(record.bytes.first(record.bytes.size() - record.arguments.size()), out);
  const std::byte* value = record.arguments.data();
  for (const Part& part : parts_) {
    const std::size_t bytes = value_bytes(*part.plan, value);
    if (!part.hidden) {
      append_bytes({value, bytes}, out);
    } else if (part.plan->coding == Coding::kText) {
      const std::string_view text = with_text ? std::string_view(part.text) : std::string_view();
      const auto length = static_cast<std::uint32_t>(text.size());
      append_bytes(std::as_bytes(std::span(&length, 1)), out);
      append_bytes(std::as_bytes(std::span(text)), out);
    } else {
      // A number 0, or an array without elements.
      out->resize(out->size() + (trace::is_variable(part.plan->coding) ? 4 : bytes));
    }
    value += bytes;
  }
}

}  // namespace ringside::consumer

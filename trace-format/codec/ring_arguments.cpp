#include "trace-format/codec/ring_arguments.hpp"

#include <cstdint>
#include <string_view>

#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/argument_length.hpp"
#include "trace-format/codec/site_plan.hpp"

namespace ringside::trace {
namespace {

// For elements that argument_length() has measured.
std::size_t text_elements_bytes(const std::byte* at, std::uint32_t count) {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < count; ++i) bytes += 4 + load<std::uint32_t>(at + bytes);
  return bytes;
}

void read_fixed(const FieldPlan& plan, const Field& field, const std::byte* at, Value& value) {
  switch (plan.coding) {
    case Coding::kInteger:
      value.u64 = ((load_bytes(at, plan.bytes) & plan.value_mask) ^ plan.sign_bit) - plan.sign_bit;
      if (field.enum_table != nullptr) value.text = field.enum_table->find(value.i64);
      break;
    case Coding::kFloat32:
      value.f32 = load<float>(at);
      break;
    case Coding::kFloat64:
      value.f64 = load<double>(at);
      break;
    default:  // 128-bit integers, and f80 with its exponent in the high half
      value.u64 = load<std::uint64_t>(at);
      value.high = load_bytes(at + 8, plan.bytes - 8U);
      break;
  }
}

}  // namespace

bool decode_ring_arguments(const Site& site, std::span<const std::byte> arguments,
                           std::vector<Value>* values) {
  const ArgumentLength length = argument_length(site.plan, arguments.data(), arguments.size());
  if (length.state != LengthState::kWhole || length.bytes != arguments.size()) return false;
  values->assign(site.initial_values.begin(), site.initial_values.end());
  const std::byte* at = arguments.data();
  for (const FieldPlan& plan : site.plan.fields) {
    Value& value = (*values)[plan.field];
    value.type = plan.type;
    if (!is_variable(plan.coding)) {
      read_fixed(plan, site.fields[plan.field], at, value);
      at += plan.bytes;
      continue;
    }
    const auto count = load<std::uint32_t>(at);
    at += 4;
    std::size_t bytes = count;
    if (plan.coding == Coding::kElements) bytes *= plan.bytes;
    if (plan.coding == Coding::kTextElements) bytes = text_elements_bytes(at, count);
    if (plan.coding != Coding::kText) value.count = count;
    value.text = {reinterpret_cast<const char*>(at), bytes};
    at += bytes;
  }
  return true;
}

}  // namespace ringside::trace

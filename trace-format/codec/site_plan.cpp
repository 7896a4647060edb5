#include "trace-format/codec/site_plan.hpp"

#include <cassert>
#include <cstring>

namespace ringside::trace {
namespace {

using shm::FieldType;

Coding coding_of(FieldType type) {
  if (shm::is_array(type)) {
    return shm::is_variable_length(shm::element_type(type)) ? Coding::kTextElements
                                                            : Coding::kElements;
  }
  switch (type) {
    case FieldType::f32:
      return Coding::kFloat32;
    case FieldType::f64:
      return Coding::kFloat64;
    case FieldType::f80:
      return Coding::kFloat80;
    case FieldType::i128:
    case FieldType::u128:
      return Coding::kInteger128;
    case FieldType::string:
    case FieldType::bytes:
      return Coding::kText;
    default:
      return Coding::kInteger;
  }
}

}  // namespace

void append_field(SitePlan& plan, std::uint16_t field, FieldType type) {
  FieldPlan f;
  f.type = type;
  f.field = field;
  f.coding = coding_of(type);
  f.bytes = static_cast<std::uint8_t>(shm::fixed_size(shm::element_type(type)));
  f.offset = static_cast<std::uint16_t>(plan.minimal_bytes);
  if (f.coding == Coding::kInteger) {
    assert(f.bytes >= 1 && f.bytes <= 8);
    const unsigned bits = f.bytes * 8U;
    f.value_mask = ~std::uint64_t{0} >> (64 - bits);
    const bool has_sign = shm::is_signed(type) || type == FieldType::enumeration;
    f.sign_bit = has_sign ? std::uint64_t{1} << (bits - 1) : 0;
  } else {
    plan.integers_only = false;
  }
  plan.variable = plan.variable || is_variable(f.coding);
  plan.minimal_bytes += is_variable(f.coding) ? 4U : f.bytes;
  plan.fields.push_back(f);
  plan.tag_bytes = static_cast<std::uint32_t>((plan.fields.size() + 1) / 2);
}

bool text_elements_fit(const std::byte* elements, std::size_t bytes, std::uint32_t& count) {
  count = 0;
  while (bytes > 0) {
    if (bytes < 4) return false;
    std::uint32_t length;
    std::memcpy(&length, elements, sizeof length);
    if (length > bytes - 4) return false;
    elements += 4 + std::size_t{length};
    bytes -= 4 + std::size_t{length};
    ++count;
  }
  return true;
}

}  // namespace ringside::trace

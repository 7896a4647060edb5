// The layout of one site's arguments in a ring record and their coding in an extent: computed once
// when the site becomes known, so that encoder and decoder never inspect types one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shm-layout/field_type.hpp"

namespace ringside::trace {

enum class Coding : std::uint8_t {
  kInteger,  // integers up to 64 bits, bool, char, pointer, enum
  kFloat32,
  kFloat64,
  kInteger128,
  kFloat80,
  kText,          // string, bytes: u32 length + bytes
  kElements,      // array of `bytes`-sized elements: u32 count + elements
  kTextElements,  // array of strings or bytes: u32 count + (u32 length + bytes) each
};

constexpr bool is_variable(Coding coding) {
  return coding >= Coding::kText;
}

// A field that records carry: one without a constant value.
struct FieldPlan {
  std::uint64_t value_mask = 0;  // integers: the bits that are stored
  std::uint64_t sign_bit = 0;    // integers: the highest of them if the type is signed, else 0
  std::uint16_t offset = 0;      // in the arguments; only if no field is variable
  std::uint16_t field = 0;       // its index among all fields of the site
  std::uint8_t bytes = 0;        // size of the value, or of an element (array); 0 for texts
  Coding coding = Coding::kInteger;
  shm::FieldType type = shm::FieldType::none;  // with the array flag
};

struct SitePlan {
  std::vector<FieldPlan> fields;
  std::uint32_t minimal_bytes = 0;  // of the arguments; exact when !variable
  std::uint32_t tag_bytes = 0;      // 4 bits a field, rounded up
  bool variable = false;
  bool integers_only = true;
};

// Adds the next variable field; `type` is a valid code, `field` its index in the site.
void append_field(SitePlan& plan, std::uint16_t field, shm::FieldType type);

// Whether `bytes` are complete elements of an array of strings or bytes; `count`: how many.
bool text_elements_fit(const std::byte* elements, std::size_t bytes, std::uint32_t& count);

}  // namespace ringside::trace

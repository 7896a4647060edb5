#pragma once
// The types of the fields of a statement, in whichever form its front end states them.

#include <cstddef>
#include <cstdint>

#include "libagent/include/ringside/abi.h"
#include "libagent/include/ringside/signature.hpp"
#include "shm-layout/field_type.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {

// Refers to the statement. For one of the C front end: valid from its registration on.
class FieldTypes {
 public:
  explicit FieldTypes(const rs_site& site) : site_(&site) {}

  std::size_t count() const {
    return site_->signature != nullptr ? site_->signature->count : site_->field_count;
  }
  // Whether records have the field.
  bool is_recorded(std::size_t index) const {
    return site_->signature != nullptr ? (site_->signature->types[index] & RS_CONSTANT_FIELD) == 0
                                       : site_->fields[index].given != RS_GIVEN_CONSTANT;
  }
  shm::FieldType operator[](std::size_t index) const {
    if (site_->signature != nullptr) return detail::field_type(site_->signature->types[index]);
    return static_cast<shm::FieldType>(site_->fields[index].type);
  }
  // The most bytes of a record that cannot be cut: its head and its values, without texts and
  // elements.
  std::size_t uncut_bytes() const {
    const bool is_span = (site_->flags & RS_SITE_HISTOGRAM) == RS_SITE_SPAN;
    std::size_t bytes = shm::kExtendedHeadBytes + (is_span ? sizeof(std::uint64_t) : 0);
    for (std::size_t i = 0; i < count(); ++i) {
      if (!is_recorded(i)) continue;
      const std::size_t fixed = shm::fixed_size((*this)[i]);
      bytes += fixed != 0 ? fixed : sizeof(std::uint32_t);
    }
    return bytes;
  }

 private:
  const rs_site* site_;
};

}  // namespace ringside

#pragma once
// The types of the fields of a statement, in whichever form its front end states them.

#include <cstddef>
#include <cstdint>

#include "libagent/include/ringside/abi.h"
#include "shm-layout/field_type.hpp"

namespace ringside {

// Refers to the statement. For one of the C front end: valid from its registration on.
class FieldTypes {
 public:
  explicit FieldTypes(const rs_site& site) : site_(&site) {}

  std::size_t count() const {
    return site_->signature != nullptr ? site_->signature->count : site_->field_count;
  }
  shm::FieldType operator[](std::size_t index) const {
    return static_cast<shm::FieldType>(site_->signature != nullptr ? site_->signature->types[index]
                                                                   : site_->fields[index].type);
  }

 private:
  const rs_site* site_;
};

}  // namespace ringside

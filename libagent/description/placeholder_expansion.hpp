#pragma once
// Formats in brace style whose arguments may have several fields: a placeholder of such an argument
// becomes those of its fields.

#include <cstddef>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "libagent/include/ringside/abi.h"
#include "shm-layout/field_type.hpp"

namespace ringside {

// What a placeholder can refer to.
struct ExpandedArgument {
  std::string_view name;
  const rs_shape* shape = nullptr;
  std::size_t first_field = 0;
  shm::FieldType type = shm::FieldType::none;  // of the first field
};

// The format with the position of a field in each placeholder. One that the compiler has not
// accepted is returned as it is. Allocates in `memory` alone.
std::pmr::string expand_placeholders(std::string_view format,
                                     std::span<const ExpandedArgument> arguments,
                                     std::pmr::memory_resource& memory);

}  // namespace ringside

#pragma once
// The values of foreign-function interfaces (struct rs_value) as parts of a record.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libagent/include/ringside/abi.h"
#include "libagent/include/ringside/runtime_statement.h"
#include "shm-layout/field_type.hpp"
#include "shm-layout/printf_fields.hpp"

namespace ringside {

// Where the bytes of a value that is not text go. It must outlive the piece.
using NumberPlace = std::array<char, 8>;

// The most bytes of a text that its conversion records. `conversions`: of a printf format,
// otherwise none.
std::uint64_t text_limit(std::span<const shm::PrintfField> conversions, std::size_t index,
                         std::span<const rs_value> values);

// False if the value is not of `type`, or out of its range.
bool convert_value(const rs_value& value, shm::FieldType type, std::uint64_t limit,
                   NumberPlace* number, rs_piece* piece);

// The same for a value of any integer type, if its number fits, or of any floating-point type.
bool convert_any_number(const rs_value& value, shm::FieldType type, std::uint64_t limit,
                        NumberPlace* number, rs_piece* piece);

}  // namespace ringside

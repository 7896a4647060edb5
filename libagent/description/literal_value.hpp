#pragma once
// The value of a literal, from its source text.

#include <optional>
#include <string>
#include <string_view>

#include "shm-layout/field_type.hpp"

namespace ringside {

// The literal in the text of an argument: without RS_NAMED("name", ) or RS_ARG( ) around it.
std::string_view literal_text(std::string_view argument);

// The value of `literal`, which include/ringside/literal_text.hpp accepts, as a constant field of
// the type `type`. Nothing if it is not such a literal. A string ends before its first NUL.
std::optional<std::string> literal_value(std::string_view literal, shm::FieldType type);

}  // namespace ringside

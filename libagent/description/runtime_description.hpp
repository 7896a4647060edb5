#pragma once
// What a statement that is registered at run time consists of, and the check of it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libagent/include/ringside/runtime_statement.h"
#include "shm-layout/printf_fields.hpp"

namespace ringside {

// Besides enum rs_format_style: the statement of a context.
inline constexpr std::uint8_t kContextStyle = 255;

struct RuntimeDescription {
  std::string_view format;
  std::string_view names;
  std::string_view types;  // a byte each
  std::string_view category;
  std::string_view file;
  std::string_view function;
  std::uint64_t keywords = 0;
  std::uint32_t line = 0;
  std::uint8_t level = 0;
  std::uint8_t style = 0;
  // `names`: the source text of a macro's format and arguments; `types`: of these arguments.
  bool is_of_macro = false;

  bool operator==(const RuntimeDescription&) const = default;
  std::uint64_t hash() const;
};

// 0, or the refusal of a statement that is incomplete or too large. Takes a time that is linear in
// the texts, so that finding a known statement is cheap; check() does the rest.
std::int32_t read_description(const rs_runtime_statement& given, RuntimeDescription* description);

// The most bytes of all texts of a statement.
inline constexpr std::uint64_t kMostDescriptionBytes = 16384;

// What check() finds out.
struct CheckedDescription {
  // Source text of arguments that give the fields their names (argument_names.hpp).
  std::string arguments;
  std::string types;                          // of the fields, a byte each
  std::vector<shm::PrintfField> conversions;  // of a printf format
};

// 0, or why the statement is refused. Throws std::bad_alloc.
std::int32_t check(const RuntimeDescription& description, CheckedDescription* checked);

}  // namespace ringside

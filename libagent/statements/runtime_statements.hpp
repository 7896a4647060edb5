#pragma once
// The statements of this process that were registered at run time. They are never removed.

#include <array>
#include <cstdint>
#include <string>

#include "libagent/description/runtime_description.hpp"
#include "libagent/include/ringside/abi.h"

namespace ringside {

// Immutable once it has a handle, except `site`, which the library changes.
struct RuntimeStatement {
  RuntimeDescription description;  // refers to `texts`
  std::string texts;               // each with its NUL
  CheckedDescription checked;
  rs_signature signature{};
  rs_site_detail detail{};
  rs_site site{};
  RuntimeStatement* next = nullptr;  // in its bucket
  std::int32_t handle = 0;
};

inline bool is_span(const RuntimeStatement& statement) {
  return statement.description.style == RS_FORMAT_SPAN;
}

// Null if there is no such statement. No lock; also in signal handlers.
RuntimeStatement* runtime_statement(std::int32_t handle);

// The handle of the equal statement that was registered before; 0: none. No lock; also in signal
// handlers.
std::int32_t find_runtime_statement(const RuntimeDescription& description);
// The same, and registers the statement if there is none: then the handle, or an enum rs_refusal.
std::int32_t find_or_add_runtime_statement(const RuntimeDescription& description);
// Whether a process has as many as it may have.
bool are_runtime_statements_used_up();

}  // namespace ringside

/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
#include <cstdlib>

#include "levels.hpp"

namespace spdlog::cfg {

/// The levels in the variable.
inline void load_env_levels(const char* variable = "SPDLOG_LEVEL") {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): as spdlog, at the start of the process
  if (const char* const text = std::getenv(variable)) load_levels(text);
}

}  // namespace spdlog::cfg

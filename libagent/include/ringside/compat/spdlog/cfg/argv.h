/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
#include "levels.hpp"

namespace spdlog::cfg {

/// The levels in the argument SPDLOG_LEVEL=... .
inline void load_argv_levels(int argc, const char** argv) {
  constexpr std::string_view kPrefix = "SPDLOG_LEVEL=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, kPrefix.size()) == kPrefix) {
      load_levels(argument.substr(kPrefix.size()));
    }
  }
}
inline void load_argv_levels(int argc, char** argv) {
  load_argv_levels(argc, const_cast<const char**>(argv));
}

}  // namespace spdlog::cfg

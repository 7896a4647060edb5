#pragma once
// Severity of a site. The numbers are stored in segments and files.

#include "required_platform.hpp"
// Before all others.
#include <cstdint>
#include <iterator>
#include <string_view>

namespace ringside::shm {

enum class Level : std::uint8_t {
  kNone = 0,
  kTrace = 1,
  kDebug = 2,
  kInfo = 3,
  kNotice = 4,
  kWarning = 5,
  kError = 6,
  kCritical = 7,
  kOff = 8,  // only as a threshold: no site is on
};

constexpr std::string_view level_name(Level level) {
  constexpr std::string_view kNames[] = {"NONE",    "TRACE", "DEBUG",    "INFO", "NOTICE",
                                         "WARNING", "ERROR", "CRITICAL", "OFF"};
  const auto index = static_cast<std::uint8_t>(level);
  return index < std::size(kNames) ? kNames[index] : std::string_view("?");
}

}  // namespace ringside::shm

#pragma once
// The three texts that identify a statement of a NetLogger handle.

#include <cstddef>
#include <string_view>

#include "libagent/description/text_hash.hpp"

namespace ringside {

struct StatementTexts {
  std::string_view event;
  std::string_view constants;
  std::string_view variables;

  bool operator==(const StatementTexts&) const = default;

  static constexpr std::size_t kBuckets = 2048;
  // By all three: a program may have thousands of statements that differ in only one.
  std::size_t bucket() const {
    return mixed_in(variables, mixed_in(constants, mixed_in(event, 0))) % kBuckets;
  }
};

}  // namespace ringside

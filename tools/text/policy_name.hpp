#pragma once
// Overflow policies by their names in RINGSIDE_OVERFLOW.

#include <optional>
#include <string_view>

#include "shm-layout/control_page.hpp"

namespace ringside::tool {

constexpr std::string_view policy_name(shm::OverflowPolicy policy) {
  switch (policy) {
    case shm::OverflowPolicy::kBlock:
      return "block";
    case shm::OverflowPolicy::kDrop:
      return "drop";
    case shm::OverflowPolicy::kOverwrite:
      return "overwrite";
  }
  return "?";  // other processes can write to the word
}

constexpr std::optional<shm::OverflowPolicy> policy_of_name(std::string_view name) {
  for (const auto policy :
       {shm::OverflowPolicy::kBlock, shm::OverflowPolicy::kDrop, shm::OverflowPolicy::kOverwrite}) {
    if (policy_name(policy) == name) return policy;
  }
  return {};
}

}  // namespace ringside::tool

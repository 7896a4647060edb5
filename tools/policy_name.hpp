#pragma once
// Overflow policies by the names that RINGSIDE_OVERFLOW takes.

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
  return "?";  // the word lies in memory that others write
}

constexpr std::optional<shm::OverflowPolicy> policy_of_name(std::string_view name) {
  for (const auto policy :
       {shm::OverflowPolicy::kBlock, shm::OverflowPolicy::kDrop, shm::OverflowPolicy::kOverwrite}) {
    if (policy_name(policy) == name) return policy;
  }
  return {};
}

}  // namespace ringside::tool

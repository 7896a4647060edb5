#pragma once
// The statements of a segment: its dictionary as a table.

#include <cstdint>
#include <string>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/level.hpp"

namespace ringside::tool {

class SegmentImage;

struct ListedStatement {
  std::uint32_t id = 0;
  shm::Level level{};
  bool consumer_clock = false;
  std::uint32_t line = 0;
  std::uint64_t keywords = 0;
  std::string name;
  std::string category;
  std::string format;
  std::string file;
  std::string function;
  shm::SiteKind kind = shm::SiteKind::kLog;

  // "order.cpp:17", without folders.
  std::string place() const;
};

// Sorted by id. Each statement once: without the second entries of those with stacks. `*why`
// describes damage of the dictionary, if any: the statements before the damage are returned.
std::vector<ListedStatement> list_statements(const SegmentImage& image, std::string* why);

}  // namespace ringside::tool

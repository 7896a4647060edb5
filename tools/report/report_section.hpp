#pragma once
// The data of a panel.

#include <string>

namespace ringside::tool {

struct ReportSection {
  std::string name;
  std::string json;         // README.md describes each
  std::string packed = {};  // by SectionPacker; empty: not yet
};

}  // namespace ringside::tool

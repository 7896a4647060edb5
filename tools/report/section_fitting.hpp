#pragma once
// Makes sections smaller until they fit a page: README.md, "Size of the page".

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/report/report_section.hpp"
#include "tools/report/section_packer.hpp"

namespace ringside::tool {

// Not thread-safe.
class SectionFitting {
 public:
  // The JSON of a section at a level: 0 is everything, and each further level has about half of
  // what the one before has. Called with rising levels.
  using Text = std::function<std::string(unsigned level)>;
  static constexpr unsigned kMostLevel = 24;

  explicit SectionFitting(SectionPacker& packer) : packer_(packer) {}

  // `share`: packed bytes that the section may have, whatever the others need.
  void add(std::string name, std::size_t share, Text text);

  // Until all together have at most so many bytes when packed: the one that exceeds its share most
  // gets the next level.
  void fit(std::size_t most);

  // The names and levels of those that are smaller.
  struct Reduced {
    std::string name;
    unsigned level = 0;
  };
  std::vector<Reduced> reduced() const;

  // Makes a section again, at its level.
  void make_again(std::string_view name);
  std::size_t packed_bytes() const;
  std::vector<ReportSection> take() { return std::move(sections_); }

 private:
  struct Source {
    std::size_t share = 0;
    Text text;
    unsigned level = 0;
  };
  void make(std::size_t index);

  SectionPacker& packer_;
  std::vector<ReportSection> sections_;
  std::vector<Source> sources_;  // by section
};

}  // namespace ringside::tool

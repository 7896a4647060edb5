#include "tools/report/section_fitting.hpp"

#include <utility>

namespace ringside::tool {

void SectionFitting::add(std::string name, std::size_t share, Text text) {
  sections_.push_back({std::move(name), {}, {}});
  sources_.push_back({share, std::move(text), 0});
  make(sections_.size() - 1);
}

void SectionFitting::make(std::size_t index) {
  sections_[index].json = sources_[index].text(sources_[index].level);
  sections_[index].packed = packer_.packed(sections_[index].json);
}

void SectionFitting::fit(std::size_t most) {
  while (packed_bytes() > most) {
    std::size_t largest = sections_.size();
    double most_excess = 1;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const double excess =
          static_cast<double>(sections_[i].packed.size()) / static_cast<double>(sources_[i].share);
      if (excess <= most_excess || sources_[i].level == kMostLevel) continue;
      most_excess = excess;
      largest = i;
    }
    if (largest == sections_.size()) return;
    ++sources_[largest].level;
    make(largest);
  }
}

std::vector<SectionFitting::Reduced> SectionFitting::reduced() const {
  std::vector<Reduced> reduced;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (sources_[i].level != 0) reduced.push_back({sections_[i].name, sources_[i].level});
  }
  return reduced;
}

void SectionFitting::make_again(std::string_view name) {
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].name == name) make(i);
  }
}

std::size_t SectionFitting::packed_bytes() const {
  std::size_t bytes = 0;
  for (const ReportSection& section : sections_) bytes += section.packed.size();
  return bytes;
}

}  // namespace ringside::tool

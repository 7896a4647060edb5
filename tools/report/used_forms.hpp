#pragma once
// The forms that the kept records have.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/report/record_forms.hpp"
#include "tools/report/section_packer.hpp"

namespace ringside::tool {

// Numbers them anew. If they are too large together, those of the fewest records are left out.
class UsedForms {
 public:
  static constexpr std::size_t kMostPackedBytes = 400'000;

  // RecordForms::kNone does not count.
  void use(std::int32_t form) {
    if (form == RecordForms::kNone) return;
    if (static_cast<std::size_t>(form) >= uses_.size())
      uses_.resize(static_cast<std::size_t>(form) + 1);
    ++uses_[static_cast<std::size_t>(form)];
  }

  // After all use(). README.md, "records": an array of forms.
  std::string json(const RecordForms& forms, SectionPacker& packer);

  // After json(): the number in its array; RecordForms::kNone if it is left out.
  std::int32_t number(std::int32_t form) const {
    return form == RecordForms::kNone ? form : numbers_[static_cast<std::size_t>(form)];
  }
  std::size_t left_out() const { return left_out_; }

 private:
  std::vector<std::uint64_t> uses_;
  std::vector<std::int32_t> numbers_;
  std::size_t left_out_ = 0;
};

}  // namespace ringside::tool

#include "tools/report/used_forms.hpp"

#include <algorithm>

namespace ringside::tool {

std::string UsedForms::json(const RecordForms& forms, SectionPacker& packer) {
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i] != 0) order.push_back(static_cast<std::int32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(), [this](std::int32_t a, std::int32_t b) {
    return uses_[static_cast<std::size_t>(a)] > uses_[static_cast<std::size_t>(b)];
  });
  const std::size_t used = order.size();
  for (;; order.resize(order.size() / 2)) {
    std::string out = "[";
    for (const std::int32_t form : order) {
      if (out.size() > 1) out += ',';
      out += forms.text(form);
    }
    out += ']';
    if (out.size() > kMostPackedBytes && packer.packed(out).size() > kMostPackedBytes) continue;
    numbers_.assign(uses_.size(), RecordForms::kNone);
    for (std::size_t i = 0; i < order.size(); ++i)
      numbers_[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    left_out_ = used - order.size();
    return out;
  }
}

}  // namespace ringside::tool

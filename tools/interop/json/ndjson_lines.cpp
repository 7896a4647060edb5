#include "tools/interop/json/ndjson_lines.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace ringside::tool::ndjson {
namespace {

constexpr std::size_t kFirstLookBytes = 4096;

}  // namespace

bool Lines::fail(std::string why, std::size_t at) {
  why_ = fmt::format("line {}: {}", line_, std::move(why));
  offset_ = input_.offset() + at;
  return false;
}

bool Lines::next() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  std::size_t looked = 0;
  for (std::size_t wanted = kFirstLookBytes;; wanted = std::max(kFirstLookBytes, 2 * looked)) {
    const auto bytes = input_.peek(wanted);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t found = text.find('\n', looked);
    const bool is_last = found == std::string_view::npos && bytes.size() < wanted;
    looked = found == std::string_view::npos ? text.size() : found;
    if (found == std::string_view::npos && !is_last && looked <= kMostLineBytes) continue;
    if (text.empty()) return false;
    ++line_;
    if (looked > kMostLineBytes) return fail("it is longer than 16 MiB", 0);
    const std::size_t mark = line_ == 1 && text.starts_with(kMark) ? kMark.size() : 0;
    const std::size_t length = is_last ? looked : looked + 1;
    if (text.substr(mark, looked - mark).find_first_not_of(" \t\r") == std::string_view::npos) {
      input_.skip(length);
      looked = 0;
      continue;
    }
    if (!tree_.parse(bytes.subspan(mark, looked - mark))) {
      return fail(tree_.why(), mark + tree_.damaged_at());
    }
    offset_ = input_.offset();
    input_.skip(length);
    return true;
  }
}

}  // namespace ringside::tool::ndjson

#include "tools/interop/method_names.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace ringside::tool {
namespace {

// "System.Private.CoreLib" of "/usr/share/dotnet/System.Private.CoreLib.dll".
std::string_view module_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (const std::string_view extension : {".dll", ".exe", ".DLL", ".EXE"}) {
    if (name.size() > extension.size() && name.ends_with(extension)) {
      name.remove_suffix(extension.size());
      break;
    }
  }
  return name;
}

}  // namespace

std::uint32_t MethodNames::put_name(std::string_view type, std::string_view name) {
  const std::size_t bytes = type.size() + name.size() + 2 + kNameUnit;
  if (names_.size() + bytes > kMostNameBytes) return kNoName;
  const auto at = static_cast<std::uint32_t>(names_.size() / kNameUnit);
  names_ += type;
  if (!type.empty() && !name.empty()) names_ += '.';
  names_ += name;
  // The null character, and padding up to the next possible start.
  names_.append(kNameUnit - names_.size() % kNameUnit, '\0');
  return at;
}

bool MethodNames::add(const Method& method, std::string_view type, std::string_view name) {
  if (method.bytes == 0) return true;
  if (ranges_.size() >= kMostMethods) return false;
  std::uint32_t at = kNoName;
  if (type.empty() && name.empty()) {
    unnamed_.push_back({method.id, ranges_.size()});
  } else {
    at = put_name(type, name);
    if (at == kNoName) return false;
  }
  const std::uint64_t bytes = std::min(method.bytes, UINT64_MAX - method.start);
  ranges_.push_back({method.start, method.start + bytes, method.module, at,
                     static_cast<std::uint32_t>(ranges_.size())});
  return true;
}

bool MethodNames::add_name(std::uint64_t id, std::string_view type, std::string_view name) {
  if (names_by_id_.size() >= kMostMethods) return false;
  const auto [found, is_new] = names_by_id_.try_emplace(id, kNoName);
  if (is_new) found->second = put_name(type, name);
  return found->second != kNoName;
}

bool MethodNames::add_entry(std::uint64_t id, std::uint64_t address) {
  if (address == 0) return true;
  if (entries_.size() >= kMostMethods) return false;
  entries_.push_back({address, id, kNoName});
  return true;
}

bool MethodNames::add_module(std::uint64_t id, std::string_view path) {
  constexpr std::size_t kMostModules = 100'000;
  const std::string_view name = module_name(path);
  if (name.empty()) return true;
  if (modules_.size() >= kMostModules) return false;
  modules_[id] = name;
  return true;
}

// A sweep over the starts: at each address the range that was added last wins.
void MethodNames::finish() {
  for (const Unnamed& unnamed : unnamed_) {
    const auto name = names_by_id_.find(unnamed.id);
    if (name != names_by_id_.end()) ranges_[unnamed.range].name = name->second;
  }
  for (Entry& entry : entries_) {
    const auto name = names_by_id_.find(entry.id);
    if (name != names_by_id_.end()) entry.name = name->second;
  }
  unnamed_ = {};
  names_by_id_ = {};
  // Of several entries at one address the last one counts.
  std::reverse(entries_.begin(), entries_.end());
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.address < b.address; });
  entries_.erase(std::unique(entries_.begin(), entries_.end(),
                             [](const Entry& a, const Entry& b) { return a.address == b.address; }),
                 entries_.end());
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.start < b.start; });
  const auto is_earlier = [](const Range& a, const Range& b) { return a.order < b.order; };
  std::priority_queue<Range, std::vector<Range>, decltype(is_earlier)> open(is_earlier);
  std::vector<Range> flat;
  flat.reserve(ranges_.size());
  std::uint64_t at = 0;
  for (auto next = ranges_.cbegin(); next != ranges_.cend() || !open.empty();) {
    if (open.empty()) at = next->start;
    for (; next != ranges_.cend() && next->start <= at; ++next) open.push(*next);
    while (!open.empty() && open.top().end <= at) open.pop();
    if (open.empty()) continue;
    Range range = open.top();
    range.start = at;
    if (next != ranges_.cend()) range.end = std::min(range.end, next->start);
    at = range.end;
    if (!flat.empty() && flat.back().end == range.start && flat.back().order == range.order) {
      flat.back().end = range.end;
    } else {
      flat.push_back(range);
    }
  }
  ranges_ = std::move(flat);
}

const MethodNames::Range* MethodNames::last_range_at(std::uint64_t address) const {
  const auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](std::uint64_t wanted, const Range& range) { return wanted < range.start; });
  return after == ranges_.begin() ? nullptr : &*std::prev(after);
}

std::string MethodNames::name_at(std::uint64_t address) const {
  const Range* const range = last_range_at(address);
  if (range == nullptr || address >= range->end || range->name == kNoName) return {};
  std::string text;
  const auto module = modules_.find(range->module);
  if (module != modules_.end()) text = module->second + '!';
  return text += text_at(range->name);
}

std::string MethodNames::name_of_entry_before(std::uint64_t address) const {
  const auto after = std::upper_bound(
      entries_.begin(), entries_.end(), address,
      [](std::uint64_t wanted, const Entry& entry) { return wanted < entry.address; });
  if (after == entries_.begin()) return {};
  const Entry& entry = *std::prev(after);
  if (address - entry.address > kMostEntryBytes || entry.name == kNoName) return {};
  const Range* const range = last_range_at(address);
  if (range != nullptr && range->end > entry.address) return {};
  return std::string("~") += text_at(entry.name);
}

}  // namespace ringside::tool

#include "consumerd/placement/processor_map.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace ringside::consumer {
namespace {

namespace fs = std::filesystem;

bool take_number(std::string_view* text, std::size_t* number) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc{} || *number >= CPU_SETSIZE) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Entries of a directory whose names are `prefix` and digits.
std::vector<fs::path> numbered(const fs::path& directory, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    const bool is_one = name.size() > prefix.size() && name.starts_with(prefix) &&
                        name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (is_one) found.push_back(entry->path());
  }
  return found;
}

void add_list(const fs::path& list_file, std::vector<ProcessorSet>* sets) {
  const auto set = parse_processor_list(first_line(list_file));
  if (!set || set->none()) return;
  if (std::find(sets->begin(), sets->end(), *set) == sets->end()) sets->push_back(*set);
}

// The cache of the highest level that holds data.
fs::path last_level_cache(const fs::path& processor) {
  fs::path last;
  std::string highest;
  for (const fs::path& cache : numbered(processor / "cache", "index")) {
    std::string level = first_line(cache / "level");
    if (level <= highest || first_line(cache / "type") == "Instruction") continue;
    highest = std::move(level);
    last = cache;
  }
  return last;
}

}  // namespace

std::optional<ProcessorSet> parse_processor_list(std::string_view list) {
  ProcessorSet set;
  while (!list.empty()) {
    std::size_t first = 0;
    if (!take_number(&list, &first)) return {};
    std::size_t last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      if (!take_number(&list, &last) || last < first) return {};
    }
    for (std::size_t processor = first; processor <= last; ++processor) set.set(processor);
    if (list.empty()) break;
    if (!list.starts_with(',')) return {};
    list.remove_prefix(1);
    if (list.empty()) return {};
  }
  return set;
}

std::string processor_list(const ProcessorSet& processors) {
  std::string list;
  for (std::size_t first = 0; first < processors.size(); ++first) {
    if (!processors[first]) continue;
    std::size_t last = first;
    while (last + 1 < processors.size() && processors[last + 1]) ++last;
    if (!list.empty()) list += ',';
    list += std::to_string(first);
    if (last > first) list += '-' + std::to_string(last);
    first = last;
  }
  return list;
}

ProcessorMap ProcessorMap::read(const std::string& system_dir) {
  ProcessorMap map;
  for (const fs::path& processor : numbered(fs::path(system_dir) / "cpu", "cpu")) {
    add_list(processor / "topology/thread_siblings_list", &map.cores);
    const fs::path cache = last_level_cache(processor);
    if (!cache.empty()) add_list(cache / "shared_cpu_list", &map.caches);
  }
  for (const fs::path& node : numbered(fs::path(system_dir) / "node", "node")) {
    add_list(node / "cpulist", &map.nodes);
  }
  return map;
}

}  // namespace ringside::consumer

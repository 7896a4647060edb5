#include "consumerd/files/file_numbers.hpp"

#include <algorithm>
#include <cstring>
#include <dirent.h>
#include <memory>

#include "consumerd/files/trace_name.hpp"

namespace ringside::consumer {

std::optional<std::vector<std::uint32_t>> file_numbers(const std::string& output_dir,
                                                       const std::string& stem,
                                                       std::uint32_t least) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(output_dir.c_str()), closedir);
  if (dir == nullptr) return std::nullopt;
  std::vector<std::uint32_t> found;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    if (std::strncmp(entry->d_name, stem.c_str(), stem.size()) != 0) continue;
    const std::optional<TraceName> name = TraceName::parse(entry->d_name);
    if (name && name->stem == stem && name->sequence >= least) found.push_back(name->sequence);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace ringside::consumer

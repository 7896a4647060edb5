#include "consumerd/text/read_traces.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <map>
#include <memory>
#include <optional>
#include <unistd.h>

#include "consumerd/files/file_packer.hpp"
#include "consumerd/files/trace_name.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/text/text_marks.hpp"

namespace ringside::consumer {

bool remove_read_traces(const std::string& output_dir,
                        const std::vector<SegmentPosition>& positions, std::string* why) {
  std::vector<TraceName> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(output_dir.c_str()), closedir);
  if (dir == nullptr) return true;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    std::optional<TraceName> name = TraceName::parse(entry->d_name);
    if (name && !name->packed) files.push_back(std::move(*name));
  }
  // After the files were listed: a mark is made while its file is locked.
  std::map<std::string, std::uint32_t> first_needed;  // by stem
  const auto need = [&](const SegmentPosition& at) {
    std::uint32_t& first = first_needed.try_emplace(at.stem, at.file_sequence).first->second;
    first = std::min(first, at.file_sequence);
  };
  for (const SegmentPosition& at : positions) need(at);
  for (const TextMark& mark : text_marks(output_dir)) {
    // Its position says more, if there is one.
    if (!first_needed.contains(mark.from.stem)) need(mark.from);
  }
  for (const TraceName& file : files) {
    const auto needed = first_needed.find(file.stem);
    if (needed != first_needed.end() && file.sequence >= needed->second) continue;
    const std::string path = output_dir + "/" + file.text();
    const UniqueFd claim = claim_trace_file(path);
    if (!claim || unlink(path.c_str()) == 0) continue;
    *why = "cannot remove " + path + ": " + error_text(errno);
    return false;
  }
  return true;
}

}  // namespace ringside::consumer

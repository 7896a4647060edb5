#include "tools/ringctl/trace_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "tools/live/service_choice.hpp"
#include "tools/ringctl/consumer_processes.hpp"
#include "tools/ringctl/descriptor_links.hpp"

namespace ringside::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraceSuffix = ".ringtrace";
constexpr std::string_view kBeingWritten = ".new";  // until the first block is complete

// Whether the name of the file begins as those of the segment do: <service>.<pid>.
bool is_trace_of(std::string_view path, const std::string& segment_path) {
  if (path.ends_with(kBeingWritten)) path.remove_suffix(kBeingWritten.size());
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.ends_with(kTraceSuffix) &&
         name.starts_with(fmt::format("{}.{}.", service_of(segment_path), pid_of(segment_path)));
}

// In another mount namespace the path can be that of another file here.
bool is_same_file(const std::string& link, const std::string& path) {
  struct stat there {};
  struct stat here {};
  return stat(link.c_str(), &there) == 0 && stat(path.c_str(), &here) == 0 &&
         there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

}  // namespace

std::string trace_directory(const std::string& shm_dir, const std::string& segment_path,
                            std::string* why) {
  std::string directory;
  bool has_consumer = false;
  for (const ConsumerProcess& consumer : consumer_processes(shm_dir, why)) {
    if (consumer.pid == 0) continue;
    const std::vector<std::string> drained = drained_segments(shm_dir, consumer.pid);
    if (std::find(drained.begin(), drained.end(), segment_path) == drained.end()) continue;
    has_consumer = true;
    any_descriptor(consumer.pid, [&](const std::string& link) {
      const std::string path = path_of_link(link);
      if (!is_trace_of(path, segment_path) || !is_same_file(link, path)) return false;
      directory = fs::path(path).parent_path().string();
      return true;
    });
  }
  if (directory.empty() && why->empty()) {
    *why = has_consumer ? fmt::format("the trace file of {} is not visible here; give --output DIR",
                                      segment_path)
                        : fmt::format(
                              "no consumerd that this user can see writes the trace of {}; give "
                              "--output DIR",
                              segment_path);
  }
  return directory;
}

}  // namespace ringside::tool

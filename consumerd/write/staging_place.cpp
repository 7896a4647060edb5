#include "consumerd/write/staging_place.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/descriptors/trusted_open.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

constexpr char kSeparator = '@';
constexpr std::string_view kEscapedSlash = "%2F";
constexpr std::string_view kEscapedPercent = "%25";

std::optional<std::string> unescape(std::string_view text) {
  std::string path;
  while (!text.empty()) {
    if (text.front() != '%') {
      path += text.front();
      text.remove_prefix(1);
    } else if (text.starts_with(kEscapedSlash) || text.starts_with(kEscapedPercent)) {
      path += text.starts_with(kEscapedSlash) ? '/' : '%';
      text.remove_prefix(kEscapedSlash.size());
    } else {
      return {};
    }
  }
  if (path.empty() || path.front() != '/') return {};
  return path;
}

}  // namespace

std::string staging_marker(const std::string& name, const std::string& directory) {
  std::string marker = name + kSeparator;
  for (const char c : directory) {
    if (c == '/') {
      marker += kEscapedSlash;
    } else if (c == '%') {
      marker += kEscapedPercent;
    } else {
      marker += c;
    }
  }
  return marker;
}

StagingEntry parse_staging_entry(std::string_view entry) {
  const std::size_t separator = entry.find(kSeparator);
  StagingEntry parsed{std::string(entry.substr(0, separator)), {}};
  if (separator != std::string_view::npos) {
    parsed.directory = unescape(entry.substr(separator + 1));
  }
  return parsed;
}

std::vector<std::string> staging_entries(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(directory.c_str()), closedir);
  if (dir == nullptr) return names;                         // the scan for segments reports it
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    if (std::string_view(entry->d_name).starts_with(shm::kStagingPrefix)) {
      names.emplace_back(entry->d_name);
    }
  }
  return names;
}

StagingPlace find_staging(const std::string& shm_dir, const std::string& name) {
  struct stat info {};
  if (lstat((shm_dir + "/" + name).c_str(), &info) == 0) return {shm_dir, {}};
  for (const std::string& entry : staging_entries(shm_dir)) {
    const StagingEntry parsed = parse_staging_entry(entry);
    if (parsed.name == name && parsed.directory && is_own_marker(shm_dir, entry)) {
      return {*parsed.directory, entry};
    }
  }
  return {shm_dir, {}};
}

bool is_own_file(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

bool is_own_marker(const std::string& shm_dir, const std::string& marker) {
  const UniqueFd fd = open_in(shm_dir, marker, O_PATH);
  struct stat info {};
  return fd && fstat(fd.get(), &info) == 0 && is_own_file(info);
}

}  // namespace ringside::consumer

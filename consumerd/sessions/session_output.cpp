#include "consumerd/sessions/session_output.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>

#include <sys/stat.h>

#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/files/trace_name.hpp"
#include "consumerd/log/log.hpp"

namespace ringside::consumer {
namespace {

bool is_below(const std::string& directory, const std::string& root) {
  const std::string prefix = root.ends_with('/') ? root : root + "/";
  return directory.size() > prefix.size() && directory.starts_with(prefix);
}

bool has_traces(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(directory.c_str()), closedir);
  if (dir == nullptr) return false;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    if (TraceName::parse(entry->d_name)) return true;
  }
  return false;
}

}  // namespace

bool may_write_session(const SessionSpec& spec, const SessionRoots& roots, bool fresh,
                       std::string* why) {
  const std::string& directory = spec.output_dir;
  const std::string normal = std::filesystem::path(directory).lexically_normal().string();
  // Among others, no component is "..".
  if (normal != directory || directory.ends_with('/')) {
    *why =
        "output directory " + directory + ": the path is not in its shortest form; use " + normal;
    return false;
  }
  const bool allowed =
      is_below(directory, roots.main_output) ||
      std::any_of(roots.others.begin(), roots.others.end(), [&](const std::string& root) {
        return directory == root || is_below(directory, root);
      });
  if (!allowed || directory == roots.main_output) {
    *why = "output directory " + directory +
           ": this consumerd may not write sessions there; use a directory below " +
           roots.main_output + ", or start consumerd with --session-dir " + directory;
    return false;
  }
  const UniqueFd fd = open_without_links(directory, O_PATH | O_DIRECTORY);
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0) {
    const int error = errno;
    // A link in the last place is "not a directory".
    const bool is_detour = error == ELOOP || error == ENOTDIR;
    *why =
        "output directory " + directory + ": " + error_text(error) +
        (is_detour ? "; use a path of directories, without symbolic links" : "; create it first");
    return false;
  }
  if (info.st_uid != geteuid() || (info.st_mode & S_IWOTH) != 0) {
    *why = "output directory " + directory + " must belong to user " + std::to_string(geteuid()) +
           ", which consumerd runs as, and must not be writable by all users; change its owner or "
           "mode";
    return false;
  }
  if (access(directory.c_str(), R_OK | W_OK | X_OK) != 0) {
    *why = "output directory " + directory + ": " + error_text(errno) +
           "; make it writable for the user of consumerd";
    return false;
  }
  if (fresh && has_traces(directory)) {
    *why = "output directory " + directory +
           " already contains trace files; use an empty directory for each session";
    return false;
  }
  return true;
}

}  // namespace ringside::consumer

#include "tools/interop/ctf/ctf_session.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "tools/interop/ctf/ctf_metadata.hpp"
#include "tools/interop/ctf/ctf_trace.hpp"

namespace ringside::tool::ctf {
namespace {

// LTTng's sessions are six deep, those that a relay daemon wrote eight.
constexpr unsigned kMostSessionDepth = 10;
constexpr std::size_t kMostDirectories = 20'000;
// The limit for finding out whether a directory is a session at all.
constexpr std::size_t kFewDirectories = 500;

struct SessionEntries {
  std::vector<std::string> directories;
  bool has_metadata = false;
  bool has_own_traces = false;
};

bool session_entries(int parent, const char* name, SessionEntries& entries) {
  const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR* const directory = fd < 0 ? nullptr : ::fdopendir(fd);
  if (directory == nullptr) {
    if (fd >= 0) ::close(fd);
    return false;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only this thread uses the stream, which glibc makes safe
  while (const dirent* const entry = ::readdir(directory)) {
    const std::string_view held = entry->d_name;
    if (held.starts_with('.')) continue;
    struct stat status {};
    if (::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(status.st_mode)) entries.directories.emplace_back(held);
    if (!S_ISREG(status.st_mode)) continue;
    if (held == "metadata" && status.st_size != 0) entries.has_metadata = true;
    if (held.ends_with(".ringtrace") || held.ends_with(".ringtrace.zst"))
      entries.has_own_traces = true;
  }
  ::closedir(directory);
  std::sort(entries.directories.begin(), entries.directories.end());
  return true;
}

// Depth first, in the order of names. `found` returns whether to continue.
class SessionWalk {
 public:
  SessionWalk(std::string root, std::size_t most_directories,
              std::function<bool(const std::string&)> found)
      : root_(std::move(root)), left_(most_directories), found_(std::move(found)) {}

  // False if `found` returned false.
  bool walk(const std::string& below, unsigned depth) {
    if (left_ == 0) {
      left_out_ = fmt::format("{}: too many directories; the others are not searched", below);
      return true;
    }
    --left_;
    SessionEntries entries;
    const std::string path = below.empty() ? root_ + "/." : root_ + "/" + below;
    if (!session_entries(AT_FDCWD, path.c_str(), entries)) return true;
    if (entries.has_metadata && !below.empty()) return found_(below);
    if (depth == 0 && entries.has_own_traces) return true;
    if (depth == kMostSessionDepth && !entries.directories.empty()) {
      left_out_ = fmt::format("{}: deeper directories are not searched", below);
      return true;
    }
    const std::string prefix = below.empty() ? below : below + "/";
    return std::all_of(
        entries.directories.begin(), entries.directories.end(),
        [&](const std::string& directory) { return walk(prefix + directory, depth + 1); });
  }

  const std::string& left_out() const { return left_out_; }

 private:
  std::string root_;
  std::size_t left_;
  std::function<bool(const std::string&)> found_;
  std::string left_out_;
};

}  // namespace

TraceSources sources_of(const std::string& path) {
  TraceSources traces;
  if (is_trace(path)) {
    traces.paths.emplace_back();
    return traces;
  }
  SessionWalk walk(path, kMostDirectories, [&](const std::string& trace) {
    if (traces.paths.size() == kMostTraces) {
      traces.left_out = fmt::format("{}: this and further traces are left out: more than {} traces",
                                    trace, kMostTraces);
      return false;
    }
    traces.paths.push_back(trace);
    return true;
  });
  walk.walk("", 0);
  if (traces.left_out.empty()) traces.left_out = walk.left_out();
  // Reading it as a trace then reports what is wrong.
  if (traces.paths.empty()) traces.paths.emplace_back();
  return traces;
}

std::string place_of(const std::string& session, const std::string& path) {
  return path.empty() ? session : fmt::format("{}/{}", session, path);
}

void add_outcome(ReadOutcome from, const std::string& path, ReadOutcome& all) {
  all.warnings.insert(all.warnings.end(), from.warnings.begin(), from.warnings.end());
  if (from.end == ReadEnd::kWhole) return;
  if (!path.empty()) from.message.insert(0, path + "/");
  if (all.end != ReadEnd::kWhole) {
    all.warnings.push_back(fmt::format("{} (at {})", from.message, from.offset));
    return;
  }
  all.end = ReadEnd::kDamaged;
  all.offset = from.offset;
  all.message = std::move(from.message);
}

void add_left_out(const TraceSources& sources, ReadOutcome& all) {
  if (sources.left_out.empty()) return;
  add_outcome(ReadOutcome::damaged(0, sources.left_out + "; name these traces separately"), "",
              all);
}

bool is_trace(const std::string& path) {
  FileWindow file;
  if (!file.open(AT_FDCWD, path + "/metadata")) return false;
  const auto first = file.load(0, 64);
  return is_metadata({reinterpret_cast<const char*>(first.data()), first.size()});
}

bool is_session(const std::string& path) {
  SessionWalk walk(path, kFewDirectories,
                   [&path](const std::string& trace) { return !is_trace(path + "/" + trace); });
  return !walk.walk("", 0);
}

}  // namespace ringside::tool::ctf

#include "tools/ringrun/directory_cleaner.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "tools/ringrun/run_message.hpp"

namespace ringside::tool {
namespace {

namespace fs = std::filesystem;

// The names that consumerd gives its files contain process and time. Whatever has the name of an
// existing file stays where it is.
void move_to_kept(const PrivateDirectories& directories) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directories.traces, error)) {
    const fs::path target = fs::path(directories.keep) / entry.path().filename();
    std::error_code why;
    if (fs::exists(fs::symlink_status(target, why))) {
      why = std::make_error_code(std::errc::file_exists);
    } else {
      fs::rename(entry.path(), target, why);
    }
    if (why) {
      report(fmt::format("cannot move '{}' to '{}': {}; the file stays there",
                         entry.path().string(), target.string(), why.message()));
    }
  }
}

// A process that still writes there can add a file while others are removed.
void remove_with_content(const std::string& path) {
  constexpr int kAttempts = 100;
  std::error_code error;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fs::remove_all(path, error);
    if (!error) return;
    if (error != std::errc::directory_not_empty) break;
  }
  report(fmt::format("cannot remove '{}': {}; remove it", path, error.message()));
}

void remove_directories(const PrivateDirectories& directories) {
  if (directories.keep.empty()) {
    remove_with_content(directories.traces);
  } else {
    move_to_kept(directories);
    rmdir(directories.traces.c_str());  // fails if a file has stayed, which is reported
  }
  remove_with_content(directories.shared_memory);
}

// Keeps no pipe or terminal of the caller open, except for messages.
void leave_streams() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  close(null);
}

[[noreturn]] void wait_and_clean(int end_of_users, const PrivateDirectories& directories) {
  setsid();  // signals of the terminal are not meant for it
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  leave_streams();
  char byte = 0;
  while (read(end_of_users, &byte, 1) != 0) {
    if (errno != EINTR) break;
  }
  remove_directories(directories);
  _exit(0);
}

}  // namespace

bool DirectoryCleaner::start(const PrivateDirectories& directories, std::string* why) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) == 0) {
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[1]);
      wait_and_clean(ends[0], directories);
    }
    const int error = errno;
    close(ends[0]);
    if (pid_ > 0) {
      lease_ = ends[1];
      return true;
    }
    close(ends[1]);
    errno = error;
  }
  *why = fmt::format("cannot start a process: {}; raise the limit (ulimit -u, ulimit -n)",
                     reason_of(errno));
  remove_directories(directories);
  return false;
}

void DirectoryCleaner::finish() {
  if (pid_ <= 0) return;
  close(std::exchange(lease_, -1));
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace ringside::tool

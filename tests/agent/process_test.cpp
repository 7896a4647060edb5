#include "tests/agent/process_test.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "shm-layout/segment_name.hpp"

namespace ringside::test {
namespace {

std::string g_shm_dir;

// Removes the test's files, segments included, even if the child was killed.
class ShmDir {
 public:
  ShmDir() {
    char name[] = "/dev/shm/ringside-test.XXXXXX";
    if (mkdtemp(name) == nullptr) throw std::runtime_error("cannot create a directory in /dev/shm");
    path_ = name;
  }
  ~ShmDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ShmDir(const ShmDir&) = delete;
  ShmDir& operator=(const ShmDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr int kSkipped = 77;  // exit status of a body that printed its reason to skip

void clear_environment() {
  for (const char* name : {"RINGSIDE_SERVICE", "RINGSIDE_SHM_DIR", "RINGSIDE_RING_BYTES",
                           "RINGSIDE_MAX_THREADS", "RINGSIDE_OVERFLOW", "RINGSIDE_BLOCK_TIMEOUT_MS",
                           "RINGSIDE_ABSENT_TIMEOUT_MS", "RINGSIDE_LEVEL", "RINGSIDE_DISABLE",
                           "RINGSIDE_MODE", "RINGSIDE_GROUP", "RINGSIDE_TRUNCATION_GUARD"}) {
    unsetenv(name);
  }
}

[[noreturn]] void run_and_exit(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "exception: " << error.what();
  }
  std::fflush(nullptr);
  if (::testing::Test::HasFailure()) _exit(1);
  _exit(::testing::Test::IsSkipped() ? kSkipped : 0);
}

}  // namespace

void run_in_process(void (*body)()) {
  const ShmDir dir;
  const int status = run_child([&] {
    g_shm_dir = dir.path();
    clear_environment();
    setenv("RINGSIDE_SHM_DIR", g_shm_dir.c_str(), 1);
    body();
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) {
    GTEST_SKIP() << "see the reason above";
  }
  EXPECT_EQ(status, 0) << (WIFSIGNALED(status) ? "ended by a signal" : "see the failures above");
}

std::uint64_t tested_ring_bytes() {
  const char* bytes = std::getenv("RINGSIDE_TEST_RING_BYTES");
  return bytes != nullptr ? std::strtoull(bytes, nullptr, 10) : std::uint64_t{65536};
}

const std::string& shm_dir() {
  return g_shm_dir;
}

std::vector<std::string> segments_in(const std::string& dir) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    const std::string name = entry.path().filename();
    if (!shm::service_of_segment_name(name).empty()) paths.push_back(entry.path());
  }
  return paths;
}

pid_t start_child(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) run_and_exit(body);
  return pid;
}

int wait_for(pid_t pid) {
  int status = -1;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int run_child(const std::function<void()>& body) {
  return wait_for(start_child(body));
}

int run_program(const std::string& path, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  if (posix_spawn(&pid, path.c_str(), nullptr, nullptr, argv.data(), environ) != 0) return -1;
  return wait_for(pid);
}

void wait_until(const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) {
      ADD_FAILURE() << "the condition did not become true within a minute";
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

StderrCapture::StderrCapture() : saved_(dup(STDERR_FILENO)), file_(memfd_create("stderr", 0)) {
  fcntl(file_, F_SETFL, O_APPEND);  // as services open a log
  dup2(file_, STDERR_FILENO);
}

StderrCapture::~StderrCapture() {
  dup2(saved_, STDERR_FILENO);
  close(saved_);
  close(file_);
}

std::vector<std::string> StderrCapture::lines() const {
  std::string text(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
  const ssize_t bytes = pread(file_, text.data(), text.size(), 0);
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace ringside::test

// Services that close descriptors that they did not open, and then open their own files.

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_locks.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

void log_number(int number) {
  RS_INFO("number %d", number);
}

Values numbers_in(std::uint32_t ring) {
  Values numbers;
  SegmentReader segment(status().segment_path);
  for (const Record& r : segment.data(ring)) numbers.push_back(r.values.at(0));
  return numbers;
}

std::vector<int> descriptors_of_the_segment() {
  std::vector<int> found;
  struct stat segment {};
  EXPECT_EQ(stat(status().segment_path.c_str(), &segment), 0);
  for (int fd = 0; fd < 4096; ++fd) {
    struct stat info {};
    if (fstat(fd, &info) == 0 && info.st_dev == segment.st_dev && info.st_ino == segment.st_ino) {
      found.push_back(fd);
    }
  }
  return found;
}

// A file of the service, whose content must not change.
class Database {
 public:
  // Opens the file at `fd`, so that it replaces the segment.
  explicit Database(int fd) : path_(shm_dir() + "/database"), fd_(fd) {
    std::ofstream(path_) << kContent;
    const int opened = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (opened != fd) {
      dup2(opened, fd);
      close(opened);
    }
  }

  bool is_whole() const {
    std::ifstream file(path_);
    struct stat named {};
    struct stat opened {};
    return std::string(std::istreambuf_iterator<char>(file), {}) == kContent &&
           fstat(fd_, &opened) == 0 && stat(path_.c_str(), &named) == 0 &&
           named.st_ino == opened.st_ino;
  }

 private:
  static constexpr const char* kContent = "8 bytes.";
  std::string path_;
  int fd_;
};

void close_from(int first) {
  ASSERT_EQ(close_range(static_cast<unsigned>(first), ~0U, 0), 0);
}

PROCESS_TEST(Descriptor, NumberStaysAboveStandardStreams) {
  for (int closed = 0; closed < 3; ++closed) {
    EXPECT_EQ(run_child([closed] {
                for (int fd = closed; fd < 3; ++fd) close(fd);
                log_number(1);
                const std::vector<int> found = descriptors_of_the_segment();
                if (found.size() != 1 || found[0] < 3) _exit(2);
                // The service's own output is lost, but does not reach the segment.
                if (write(STDERR_FILENO, "overwritten!", 12) != -1) _exit(3);
                log_number(2);
                if (numbers_in(0) != Values{"i32 1", "i32 2"}) _exit(4);
                _exit(0);
              }),
              0)
        << "descriptors from " << closed << " closed";
  }
}

PROCESS_TEST(Descriptor, NumberIsHighWithUsualAndTinyLimits) {
  for (const rlim_t limit : {rlim_t{4096}, rlim_t{64}, rlim_t{16}}) {
    EXPECT_EQ(run_child([limit] {
                close_from(3);
                const rlimit files{limit, limit};
                ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
                log_number(1);
                const std::vector<int> found = descriptors_of_the_segment();
                ASSERT_EQ(found.size(), 1U);
                EXPECT_GE(static_cast<rlim_t>(found[0]), std::min<rlim_t>(limit / 2, 512));
              }),
              0);
  }
}

PROCESS_TEST(Descriptor, FileThatGetsTheNumberStaysWholeAndANewThreadIsTraced) {
  log_number(1);
  const int number = descriptors_of_the_segment().at(0);
  close_from(3);
  const Database database(number);
  EXPECT_TRUE(is_locked(status().segment_path)) << "the service lives";
  std::thread([] { log_number(2); }).join();
  EXPECT_TRUE(database.is_whole());
  EXPECT_EQ(status().message, "");
  EXPECT_EQ(losses(), 0U);
  EXPECT_EQ(numbers_in(0), Values{"i32 1"});
  EXPECT_EQ(numbers_in(1), Values{"i32 2"});
  EXPECT_TRUE(is_locked(status().segment_path));
  EXPECT_EQ(descriptors_of_the_segment().size(), 1U);
}

PROCESS_TEST(Descriptor, FileThatGetsTheNumberIsNotClosedInAChild) {
  log_number(1);
  const int number = descriptors_of_the_segment().at(0);
  close_from(3);
  const Database database(number);
  EXPECT_EQ(run_child([&database] {
              EXPECT_TRUE(database.is_whole());
              log_number(2);
              EXPECT_TRUE(database.is_whole());
              EXPECT_EQ(numbers_in(0), Values{"i32 2"});
            }),
            0);
  std::thread([] { log_number(3); }).join();
  EXPECT_EQ(numbers_in(1), Values{"i32 3"});
  EXPECT_TRUE(database.is_whole());
}

// The descriptor that was reopened after the close is closed in a child too: otherwise its lock
// would outlive the service.
PROCESS_TEST(Descriptor, ChildReleasesTheReopenedDescriptor) {
  log_number(1);
  close_from(3);
  std::thread([] { log_number(2); }).join();
  const std::string path = status().segment_path;
  EXPECT_EQ(run_child([&path] {
              struct stat segment {};
              ASSERT_EQ(stat(path.c_str(), &segment), 0);
              for (int fd = 0; fd < 4096; ++fd) {
                struct stat info {};
                EXPECT_FALSE(fstat(fd, &info) == 0 && info.st_ino == segment.st_ino &&
                             info.st_dev == segment.st_dev);
              }
            }),
            0);
}

PROCESS_TEST(Descriptor, DictionaryGrowsAfterTheClose) {
  log_number(1);
  const int number = descriptors_of_the_segment().at(0);
  close_from(3);
  const Database database(number);
  RS_WARNING("a statement that is registered later: %s", "text");
  EXPECT_TRUE(database.is_whole());
  EXPECT_EQ(own_segment().data(0).size(), 2U);
}

// A descriptor that cannot be reopened is a loss; the message names the true cause and the remedy.
PROCESS_TEST(Descriptor, RefusalNamesTheClosedDescriptor) {
  const auto thread_that_logs = [](int number) {
    std::thread([number] {
      if (number != 0) log_number(number);
    }).join();
  };
  // UBSan checks each type once, and needs descriptors for it.
  thread_that_logs(0);
  log_number(1);
  SegmentReader& segment = own_segment();
  close_from(3);
  std::vector<std::string> lines;
  {
    const StderrCapture capture;
    const rlimit none_left{3, 4096};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none_left), 0);
    thread_that_logs(2);
    const rlimit enough{64, 4096};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &enough), 0);
    lines = capture.lines();
  }
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("the service closed the descriptor"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[0].find("--shm-size"), std::string::npos) << lines[0];
  EXPECT_EQ(losses(LossCause::no_shared_memory), 1U);
  log_number(3);
  EXPECT_EQ(segment.data(0).size(), 2U) << "the first thread keeps logging";
}

// Neither overwritten nor locked: the name belongs to another file by now.
PROCESS_TEST(Descriptor, AnotherFileWithTheNameStaysWhole) {
  log_number(1);
  const std::string path = status().segment_path;
  close_from(3);
  std::filesystem::rename(path, shm_dir() + "/elsewhere");
  std::ofstream(path) << "another file";
  std::thread([] { log_number(2); }).join();
  EXPECT_EQ(std::filesystem::file_size(path), 12U);
  EXPECT_FALSE(is_locked(path));
  EXPECT_NE(status().segment_path, path);
}

}  // namespace
}  // namespace ringside::test

// Services with a limit on file sizes (ulimit -f): they are traced as far as the limit permits, and
// never killed.

#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

void limit_files(rlim_t bytes) {
  signal(SIGXFSZ, SIG_DFL);
  const rlimit limit{bytes, bytes};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

PROCESS_TEST(FileLimit, SegmentStaysBelowTheLimit) {
  for (const rlim_t limit : {rlim_t{1} << 30, rlim_t{100} << 20, rlim_t{20} << 20,
                             (rlim_t{4} << 20) + 1, rlim_t{3} << 20}) {
    EXPECT_EQ(run_child([limit] {
                limit_files(limit);
                RS_INFO("traced %d", 1);
                ASSERT_EQ(status().state, State::live) << status().message;
                EXPECT_EQ(own_segment().data(0).size(), 1U);
                struct stat info {};
                ASSERT_EQ(stat(status().segment_path.c_str(), &info), 0);
                EXPECT_LE(static_cast<rlim_t>(info.st_size), limit);
              }),
              0)
        << limit;
  }
}

PROCESS_TEST(FileLimit, WithoutALimitAllRingsHaveRoom) {
  RS_INFO("traced");
  EXPECT_EQ(own_segment().layout().ring_count, 1024U);
}

PROCESS_TEST(FileLimit, RefusalNamesTheLimit) {
  limit_files(1 << 20);
  std::vector<std::string> lines;
  {
    const StderrCapture capture;
    RS_INFO("refused");
    lines = capture.lines();
  }
  EXPECT_EQ(status().state, State::failed);
  EXPECT_EQ(losses(LossCause::no_shared_memory), 1U);
  EXPECT_NE(status().message.find("ulimit -f"), std::string::npos) << status().message;
  EXPECT_TRUE(segments_in(shm_dir()).empty());
}

PROCESS_TEST(FileLimit, ThreadsBeyondTheLimitNameIt) {
  limit_files(rlim_t{3} << 20);
  RS_INFO("the only ring");
  ASSERT_EQ(own_segment().layout().ring_count, 1U);
  std::thread([] { RS_INFO("refused"); }).join();
  EXPECT_EQ(losses(LossCause::no_ring), 1U);
  EXPECT_NE(status().message.find("ulimit -f"), std::string::npos) << status().message;
}

// The segment has its full size by then; it does not grow any more.
PROCESS_TEST(FileLimit, LimitThatIsSetLaterChangesNothing) {
  RS_INFO("before");
  limit_files(1 << 20);
  std::thread([] { RS_INFO("after"); }).join();
  EXPECT_EQ(own_segment().data(1).size(), 1U);
  EXPECT_EQ(losses(), 0U);
}

}  // namespace
}  // namespace ringside::test

// A trace file that another process removes while this one claims it.
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/files/file_packer.hpp"
#include "consumerd/files/output_file.hpp"
#include "stepped_process.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using Step = SteppedProcess::Step;

// Steps until the process has done `calls` system calls, or has ended.
Step step_past(SteppedProcess& process, int calls) {
  Step step = Step::kInstruction;
  for (int done = 0; done < calls && step != Step::kEnded && step != Step::kFailed;) {
    step = process.step();
    if (step == Step::kSystemCall) ++done;
  }
  return step;
}

bool is_locked(const std::string& path) {
  const consumer::UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  return consumer::byte_is_locked(fd.get(), consumer::kTraceFileLockByte);
}

TEST(ClaimedFile, AFileRemovedBeforeItIsLockedIsNotClaimed) {
  const TemporaryDirectory dir;
  const std::string path = dir.file("svc.1.20231114T221320-000000.0.ringtrace");
  void* const shared =
      mmap(nullptr, sizeof(bool), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  bool& claimed = *static_cast<bool*>(shared);
  int removed_before_the_lock = 0;
  for (int calls = 0;; ++calls) {
    std::ofstream(path) << "x";
    claimed = false;
    SteppedProcess process([&] { claimed = static_cast<bool>(consumer::claim_trace_file(path)); });
    const Step step = step_past(process, calls);
    ASSERT_NE(step, Step::kFailed);
    if (step == Step::kEnded) {
      EXPECT_TRUE(claimed);
      break;
    }
    const bool locked = is_locked(path);
    ASSERT_EQ(unlink(path.c_str()), 0);
    const bool claimed_before = claimed;
    ASSERT_EQ(step_past(process, 1000), Step::kEnded);
    if (locked || claimed_before) continue;
    EXPECT_FALSE(claimed) << "removed after " << calls << " system calls";
    ++removed_before_the_lock;
  }
  EXPECT_GE(removed_before_the_lock, 2) << "before it was opened, and after that";
  munmap(shared, sizeof(bool));
}

}  // namespace
}  // namespace ringside::consumer_test

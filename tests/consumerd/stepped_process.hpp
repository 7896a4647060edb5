#pragma once
// A child process that runs one instruction at a time (ptrace), so that a test sees every state in
// which SIGKILL can leave what the child shares with others.

#include <functional>

#include <sys/types.h>

namespace ringside::consumer_test {

class SteppedProcess {
 public:
  // Forks. The child runs `work`, then exits; it stops before the first instruction of `work`.
  explicit SteppedProcess(const std::function<void()>& work);
  ~SteppedProcess();  // kills the child if it still runs
  SteppedProcess(const SteppedProcess&) = delete;
  SteppedProcess& operator=(const SteppedProcess&) = delete;

  enum class Step {
    kInstruction,
    kSystemCall,  // as one step
    kEnded,       // `work` has returned
    kFailed,      // the child died, or cannot be traced
  };
  Step step();
  void kill();

 private:
  pid_t pid_ = -1;
};

}  // namespace ringside::consumer_test

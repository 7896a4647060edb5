#pragma once
// The threads that encode rings beside the poll loop.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace ringside::consumer {

// Between two calls of run() all of them wait: the poll loop then sees, and may change, everything
// that they use.
class EncoderThreads {
 public:
  using Work = std::function<void(std::uint32_t thread)>;

  EncoderThreads() = default;
  ~EncoderThreads();
  EncoderThreads(const EncoderThreads&) = delete;
  EncoderThreads& operator=(const EncoderThreads&) = delete;

  // The caller is thread 0, and counts. They run on any processor, wherever the caller is bound to.
  void start(std::uint32_t threads);
  std::uint32_t count() const { return static_cast<std::uint32_t>(threads_.size()) + 1; }

  // Runs work(0) here and work(1) to work(used - 1) on the other threads at the same time. Returns
  // when all have returned. Work must not throw.
  void run(std::uint32_t used, const Work& work);

 private:
  void serve(std::uint32_t thread);

  std::vector<std::thread> threads_;
  const Work* work_ = nullptr;
  std::uint32_t used_ = 0;
  bool stops_ = false;
  std::atomic<std::uint32_t> round_{0};    // a futex word: changes when there is work
  std::atomic<std::uint32_t> working_{0};  // threads that have not returned yet
};

}  // namespace ringside::consumer

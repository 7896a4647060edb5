#pragma once
// Formats events in several threads and writes the lines in the events' order.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/text/line_batch.hpp"
#include "trace-format/lines/line_clocks.hpp"

namespace ringside::tool {

// add() and finish() must be called by one thread. While enough batches wait for the workers, it
// formats lines itself, without a copy: with slow workers, or none, this costs what one thread
// costs. The same for a thousand lines whose first one is constant: copying such an event costs as
// much as its line. A sleeping worker is woken only when several batches wait, because waking costs
// as much as formatting hundreds of lines. Memory is bounded by the number of workers.
class ParallelLines {
 public:
  using Write = std::function<bool(std::string_view)>;

  // `write` is called from any thread, one call at a time; if it returns false, all work ends.
  ParallelLines(unsigned workers, bool utc, Write write);
  ~ParallelLines();
  ParallelLines(const ParallelLines&) = delete;
  ParallelLines& operator=(const ParallelLines&) = delete;

  // False if all work has ended.
  bool add(const trace::Event& event, const std::shared_ptr<const trace::LineText>& text);

  // Waits until everything is written; false if `write` ended the work. Throws what a worker threw.
  bool finish();

 private:
  static constexpr std::size_t kJobsPerWorker = 8;
  static constexpr std::size_t kWakeAt = 4;  // batches that wait
  // Of lines that the adding thread formats. As many as a batch, or less if they are long.
  static constexpr std::size_t kDirectLines = 1024;
  static constexpr std::size_t kDirectBytes = 256U << 10;

  struct Job {
    LineBatch batch;
    trace::TextSink text;
    std::uint64_t number = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  void work();
  bool take_job(bool is_constant);
  void hand_over();
  bool help(Lock& lock, trace::LineClocks& clocks);
  void make_text(Job& job, trace::LineClocks& clocks);
  void write_done(Lock& lock);

  const bool utc_;
  const Write write_;
  trace::LineClocks clocks_;  // for the thread that adds
  Job* filling_ = nullptr;
  bool direct_ = false;           // filling_ gets text, and no batch
  std::size_t direct_lines_ = 0;  // so far
  std::size_t enough_waiting_ = 0;
  std::vector<std::unique_ptr<Job>> jobs_;

  std::mutex mutex_;  // for all members below
  std::condition_variable work_came_;
  std::condition_variable job_freed_;
  std::deque<Job*> waiting_;  // for a worker
  std::vector<Job*> free_;
  std::vector<Job*> done_;  // ready to be written; indexed by number modulo its size
  std::uint64_t next_number_ = 0;
  std::uint64_t next_written_ = 0;
  std::size_t sleepers_ = 0;  // workers that wait for work_came_
  bool writing_ = false;
  bool stopped_ = false;  // by `write` or a failure: nothing more is written
  bool ended_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

}  // namespace ringside::tool

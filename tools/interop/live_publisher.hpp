#pragma once
// When records that have arrived are shown, while further ones are awaited.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// Gets the paths of growing trace files, old and new. False: nothing more is wanted.
using ShowRecords = std::function<bool(const std::vector<std::string>& paths)>;

// What a live import shows its records to. Empty members: they are shown after the end.
struct LiveView {
  ShowRecords show;
  // Called several times a second while nothing arrives; true: nothing more is wanted.
  std::function<bool()> is_over;
};

// What is shown.
struct LiveRecords {
  std::function<bool()> has_news;
  // Makes the records readable, all of them or those that no other can precede; returns paths.
  // Empty with `*error` on failure, which the source reports at its end, too.
  std::function<std::vector<std::string>(bool everything, std::string* error)> publish;
  // Bytes on the disk that release() could give back, after everything has been read.
  std::function<std::uint64_t()> bytes;
  std::function<void()> release;
};
LiveRecords live_records_of(TraceBuilder& builder);

// Not thread-safe.
class LivePublisher {
 public:
  // A pause of this length shows everything that has arrived.
  static constexpr int kPauseMs = 50;
  // Without a pause, records are shown this often; those that arrived since the time before wait
  // once more, so that records of several threads are put in order.
  static constexpr int kLongestMs = 1000;
  // How often is_over() is called.
  static constexpr int kCheckMs = 250;

  // Without `view.show`, does nothing.
  explicit LivePublisher(LiveView view) : view_(std::move(view)) {}

  void use(LiveRecords records) { records_ = std::move(records); }

  bool is_live() const { return view_.show != nullptr; }

  // How long the caller may wait for input before it calls paused(); -1: without limit.
  int patience_ms() const;
  // Nothing has arrived within patience_ms(). False: nothing more is wanted.
  bool paused();
  // Something has arrived. False: nothing more is wanted.
  bool arrived();

 private:
  using Clock = std::chrono::steady_clock;
  bool has_news() const { return records_.has_news && records_.has_news(); }
  bool publish(bool everything);

  LiveView view_;
  LiveRecords records_;
  Clock::time_point last_ = Clock::now();
  bool wanted_ = true;
};

}  // namespace ringside::tool

#pragma once
// The report of traces that grow: made anew when they have changed.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tools/live/service_choice.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/ringview/live_board.hpp"
#include "tools/ringview/live_files.hpp"

namespace ringside::tool {

// Puts the data on a board, from a thread of its own.
class LiveReport {
 public:
  struct Options {
    std::vector<std::string> paths;  // directories, or files; none: segments only
    ServiceChoice segments;          // those without a consumer are read too
    std::string title;
    FilterOptions filter;                      // valid: --since and --service
    std::vector<std::string> selection;        // the same, as typed
    std::chrono::milliseconds interval{1000};  // the least between two updates
  };

  // Publishes an empty report first. Null with `*why` if a path cannot be read. The board must
  // outlive it.
  static std::unique_ptr<LiveReport> open(LiveBoard& board, Options options, std::string* why);
  ~LiveReport();
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

 private:
  LiveReport(LiveBoard& board, Options options);
  void run();
  void follow(std::chrono::steady_clock::duration& wait);
  bool has_slid() const;
  void fail(const std::string& why);
  bool look(LiveFiles& found, std::string* why) const;
  bool make(const LiveFiles& found);
  bool read(std::vector<LiveFile>& files, std::vector<UnreadableFile>& unreadable,
            const std::vector<std::string>& damage, std::string* json);

  LiveBoard& board_;
  const Options options_;
  // Of the data that is published.
  LiveFiles known_;
  std::uint64_t since_ns_ = 0;
  bool has_events_ = false;
  std::thread thread_;
};

}  // namespace ringside::tool

#pragma once
// What ringview knows now: written by the threads that find it out, read by those that answer.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ringside::tool {

// JSON arrays, as README.md ("Live") has them.
struct LiveServices {
  std::string services = "null";  // unknown
  std::string call_costs = "[]";
  bool operator==(const LiveServices&) const = default;
};

// A file that is left out, and why.
struct UnreadableFile {
  std::string path;
  std::string why;
  bool operator==(const UnreadableFile&) const = default;
};

// A service, as its segment is named.
struct LiveService {
  std::string service;
  std::uint32_t pid = 0;
  bool operator==(const LiveService&) const = default;
};

struct LiveState {
  std::uint64_t number = 0;  // rises with each change of anything

  // The data, which never changes once it is here.
  std::uint64_t data_number = 0;             // rises with each replacement of the data
  std::shared_ptr<const std::string> data;   // report_as_json()
  std::optional<std::int64_t> read_unix_ms;  // when the files had this data; none: nothing is read
  std::int64_t update_ms = 0;                // how long the next update waits at least
  std::int64_t took_ms = 0;                  // to make the data

  bool is_reading = false;  // the files, now
  std::string error;        // why the data is not made again; empty: it is
  std::vector<UnreadableFile> unreadable;
  std::vector<LiveService> from_segments;  // whose segments the data has, besides the files
  std::vector<std::string> selection;      // options that select records: "--since -10m"
  LiveServices services;
};

// The members of `live` (README.md, "Live"), without `control`, and without braces.
std::string live_members(const LiveState& state);

// Used by any number of threads. What is published never changes.
class LiveBoard {
 public:
  LiveBoard();
  LiveBoard(const LiveBoard&) = delete;
  LiveBoard& operator=(const LiveBoard&) = delete;

  std::shared_ptr<const LiveState> newest() const;
  // The newest one after `number`; null if there is none within `timeout`, or at the end.
  std::shared_ptr<const LiveState> after(std::uint64_t number,
                                         std::chrono::milliseconds timeout) const;
  void change(const std::function<void(LiveState&)>& change);

  // Wakes all who wait. after() and pause() return at once from then on.
  void end();
  bool ends() const { return ends_.load(std::memory_order_relaxed); }
  // False at the end.
  bool pause(std::chrono::steady_clock::duration time) const;

 private:
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  std::shared_ptr<const LiveState> newest_;
};

}  // namespace ringside::tool

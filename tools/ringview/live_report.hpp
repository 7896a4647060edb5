#pragma once
// The report of traces that grow: made anew when they have changed.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ringside::tool {

// Read by any number of threads. What is published never changes.
class LiveReport {
 public:
  struct Published {
    std::uint64_t number = 0;  // rises with each publication
    std::string json;          // report_as_json()
    std::string call_costs;    // a JSON array
  };

  struct Options {
    std::vector<std::string> paths;  // directories, or files
    std::string title;
    std::chrono::milliseconds interval{1000};  // the least between two publications
    std::function<std::string()> call_costs;   // asked for each publication
  };

  // Publishes an empty report first. Null with `*why` if a path cannot be read.
  static std::unique_ptr<LiveReport> open(Options options, std::string* why);
  ~LiveReport();
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  std::shared_ptr<const Published> newest() const;
  // The newest one after `number`; null if there is none within `timeout`, or at the end.
  std::shared_ptr<const Published> after(std::uint64_t number,
                                         std::chrono::milliseconds timeout) const;
  // Wakes all who wait. after() returns at once from then on.
  void end();

 private:
  using FileSizes = std::vector<std::pair<std::string, std::uint64_t>>;

  explicit LiveReport(Options options);
  // The files that have records to read. False with `*why` if a path cannot be read.
  static bool look(const std::vector<std::string>& paths, FileSizes& files, std::string* why);
  void run();
  void make(const FileSizes& files);
  bool pause(std::chrono::steady_clock::duration time) const;

  const Options options_;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  std::shared_ptr<const Published> newest_;
  std::thread thread_;
};

}  // namespace ringside::tool

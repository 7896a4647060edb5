#pragma once
// The thread that writes the text of all services from their trace files.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/text/segment_position.hpp"
#include "consumerd/text/service_text.hpp"
#include "consumerd/text/text_figures.hpp"
#include "consumerd/text/trace_source.hpp"
#include "trace-format/reader/open_files.hpp"

namespace ringside::consumer {

// Follows files, so it may be slow or stop without effect on the poll loop. Runs at low priority,
// except under --once.
class TextWriter {
 public:
  // Continues what an earlier consumerd left, and starts to work at once. `log` must outlive it.
  // Call it after recovery: what is in the trace files then is final.
  TextWriter(const Options& options, const Log& log);
  // Ends at once; the next writer continues.
  ~TextWriter();
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;

  // For the poll loop, which never waits for this thread: what cannot be delivered now is delivered
  // by one of the next calls of notify().
  // A session begins to drain a segment into the section at `at`.
  void adopt(const std::string& service, const SegmentPosition& at);
  // `service`: empty for all.
  void request_rotation(const std::string& service);
  void set_policy(const TextPolicy& policy);
  void notify(bool has_news);

  // Writes what the trace files have, and ends. If the text cannot be written, that is tried for
  // two seconds; the rest is left to the next consumerd. Returns whether all is written. Call
  // nothing else after it.
  bool finish();

  const TextFigures& figures() const { return figures_; }

 private:
  struct Mail {
    std::vector<std::pair<std::string, SegmentPosition>> adopted;
    std::vector<std::string> rotations;
    std::optional<TextPolicy> policy;
    bool news = false;

    bool is_empty() const { return adopted.empty() && rotations.empty() && !policy && !news; }
  };

  void run();
  void resume();
  void read(Mail mail);
  ServiceText& text_of(const std::string& service);
  ServiceText::Result work_all();
  void remove_traces();
  void write_rest();

  const Options options_;  // a private copy
  const Log& log_;
  TextFigures figures_;
  // Used by the poll loop only.
  Mail outbox_;
  // Shared by both threads.
  std::mutex mutex_;
  std::condition_variable wake_;
  Mail inbox_;
  bool finish_ = false;
  bool stop_ = false;
  // Used by the text's thread, and after its end.
  TextPolicy policy_;
  trace::ReadReport report_;
  trace::OpenFiles files_{report_};
  const TraceSource source_;
  std::map<std::string, std::unique_ptr<ServiceText>> texts_;
  ServiceText::Clock::time_point next_removal_{};
  bool removal_failed_ = false;
  bool all_written_ = false;
  std::thread thread_;
};

}  // namespace ringside::consumer

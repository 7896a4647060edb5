#pragma once
// Hands the traces of all sessions to the thread that writes the text.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/metrics/metrics_page.hpp"
#include "consumerd/session/segment_session.hpp"
#include "consumerd/text/text_writer.hpp"

namespace ringside::consumer {

// Does nothing without --text.
class SessionText {
 public:
  using Sessions = std::vector<std::unique_ptr<SegmentSession>>;

  // The directories that consumerd works in. Before the sandbox is entered: it also reads the time
  // zone for the text.
  static std::vector<std::string> directories(const Options& options);

  explicit SessionText(const Log& log) : log_(log) {}

  // After recovery, and before the first session.
  void open(const Options& options);
  void follow_policy(const Options& options);
  // Before the session drains anything.
  void adopt(const SegmentSession& session);
  // All texts continue in new files.
  void rotate_all();
  // Never waits. `slots_written`: staging slots written so far, by all sessions.
  void notify(const Sessions& sessions, std::uint64_t slots_written);
  // Waits until what the trace files have is written as text. False if it cannot be written. Call
  // nothing else after it.
  bool finish() { return writer_ == nullptr || writer_->finish(); }

  // For the metrics; nothing without --text.
  std::optional<TextCounts> counts() const;

 private:
  const Log& log_;
  std::string output_dir_;
  std::unique_ptr<TextWriter> writer_;
  std::uint64_t slots_written_ = 0;
};

}  // namespace ringside::consumer

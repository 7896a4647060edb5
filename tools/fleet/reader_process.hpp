#pragma once
// A running fleet-reader, from the side of the program that started it. It has its own process, so
// that ringcat and ringstat need no library of NATS, and so that its directory is removed however
// they end.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "tools/fleet/reader_request.hpp"

namespace ringside::fleet {

// "KIND TEXT": a line of fleet-reader.
struct ReaderLine {
  std::string kind;  // "directory", "complete", "status", "note", "damage", "failed"
  std::string text;
};

// Not thread-safe.
class ReaderProcess {
 public:
  // Null with `*why` if the program is not installed or cannot be started.
  static std::unique_ptr<ReaderProcess> start(const ReaderRequest& request, std::string* why);
  // Asks it to end, and waits until its directory is removed.
  ~ReaderProcess();
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  // The next line, after `timeout_ms` at the latest; negative: without limit.
  std::optional<ReaderLine> next(int timeout_ms);
  // Whether it has closed its output, and all lines were returned.
  bool has_ended() const { return is_closed_ && lines_.empty(); }

 private:
  ReaderProcess(pid_t pid, int input, int output) : pid_(pid), input_(input), output_(output) {}
  void take(std::string_view bytes);

  pid_t pid_;
  int input_;  // closing it ends the process
  int output_;
  bool is_closed_ = false;
  std::string unfinished_;
  std::deque<ReaderLine> lines_;
  std::string directory_;
};

}  // namespace ringside::fleet

#pragma once
// Serves the Model Context Protocol on standard streams: reads lines, runs the processes that
// answer, and writes their answers as they come.

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/files/owned_fd.hpp"
#include "tools/processes/bounded_command.hpp"
#include "tools/report/mcp_session.hpp"

namespace ringside::tool {

struct McpServing {
  std::string program;             // ringcat
  std::vector<std::string> paths;  // of the traces
  CommandBounds bounds;            // of each process
};

// Not thread-safe. Blocks SIGINT, SIGTERM and SIGHUP, which end it.
class McpServer {
 public:
  McpServer(const McpSession& session, McpServing serving);

  // Until the input has ended and all questions are answered, a signal comes, or the output is
  // closed. No process remains. False with errno if an answer could not be written.
  bool run();

 private:
  struct Running {
    McpCall call;
    std::unique_ptr<BoundedCommand> command;
  };
  enum class State { kServing, kEnded, kFailed };

  void wait();
  void read_input();
  void take_line();
  void start_waiting();
  void advance_running();
  void cancel(const std::string& id);
  // In pieces that a pipe takes at once, so that a signal ends it though the client reads nothing.
  void send(std::string line);
  void fail(int error);

  const McpSession& session_;
  const McpServing serving_;
  OwnedFd signals_;
  State state_ = State::kServing;
  int error_ = 0;
  bool has_input_ = true;
  bool is_input_ready_ = false;
  bool is_line_too_long_ = false;
  std::string line_;
  std::deque<McpCall> waiting_;
  std::vector<Running> running_;
};

}  // namespace ringside::tool

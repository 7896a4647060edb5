#pragma once
// The page of a live report and its data over HTTP.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "tools/ringview/connection_limits.hpp"
#include "tools/ringview/live_board.hpp"
#include "tools/ringview/view_access.hpp"

struct MHD_Daemon;

namespace ringside::tool {

// README.md specifies the requests. Each connection has a thread, and one request.
class ViewServer {
 public:
  // Answers a request for a change: true if it was made, with a text for people.
  using Control = std::function<bool(const std::string& request, std::string* answer)>;

  struct Answer {
    unsigned status = 0;
    const char* type = "";
    std::shared_ptr<const std::string> body;
    const char* allow = nullptr;  // the methods that a path has, if it has not this one
    bool is_gzip = false;
  };
  struct Request {
    std::string method;
    std::string path;
    std::string host;
    std::size_t hosts = 0;  // how many Host headers it has
    std::string origin;
    std::string authorization;
    std::string accepted_encodings;
    std::string body;
  };

  static constexpr std::size_t kMostBodyBytes = 64 << 10;

  // Takes over `listening`. `control` is empty if changes are not allowed. Null if the thread
  // cannot be started. What it refers to must outlive it.
  static std::unique_ptr<ViewServer> start(int listening, LiveBoard& board,
                                           const ViewAccess& access, Control control);
  // Ends all connections.
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  // Callable from any thread. Not for /events, which has no end.
  Answer answer(const Request& request) const;
  // Status 0 if the request may be answered: else the reason why not.
  Answer refusal(const Request& request) const;
  bool has_token(const Request& request) const;
  // The member `live` of a state, as JSON.
  std::string live_text(const LiveState& state) const;
  const LiveBoard& board() const { return board_; }
  ConnectionLimits& limits() { return limits_; }

 private:
  ViewServer(LiveBoard& board, const ViewAccess& access, Control control)
      : board_(board), access_(access), control_(std::move(control)) {}
  Answer data(bool is_gzip) const;

  LiveBoard& board_;
  const ViewAccess& access_;
  const Control control_;
  ConnectionLimits limits_;
  MHD_Daemon* daemon_ = nullptr;

  // The last answer to /data, which several pages ask for.
  mutable std::mutex mutex_;
  mutable std::uint64_t number_ = 0;
  mutable std::shared_ptr<const std::string> plain_;
  mutable std::shared_ptr<const std::string> packed_;
};

}  // namespace ringside::tool

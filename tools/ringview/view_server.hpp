#pragma once
// The page of a live report and its data over HTTP.

#include <functional>
#include <memory>
#include <string>

#include "tools/ringview/live_report.hpp"
#include "tools/ringview/view_access.hpp"

struct MHD_Daemon;

namespace ringside::tool {

// README.md specifies the requests. Each connection has a thread.
class ViewServer {
 public:
  // Answers a request for a change: true if it was made, with a text for people.
  using Control = std::function<bool(const std::string& request, std::string* answer)>;

  struct Answer {
    unsigned status = 0;
    const char* type = "";
    std::string body;
  };
  struct Request {
    std::string method;
    std::string path;
    std::string host;
    std::string origin;
    std::string token;  // of the header Authorization, or of the query
    std::string body;
  };

  static constexpr std::size_t kMostBodyBytes = 64 << 10;
  static constexpr unsigned kMostConnections = 32;

  // Takes over `listening`. `control` is empty if changes are not allowed. Null if the thread
  // cannot be started. What it refers to must outlive it.
  static std::unique_ptr<ViewServer> start(int listening, LiveReport& report,
                                           const ViewAccess& access, Control control);
  // Ends all connections.
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  // Callable from any thread. Not for /events, which has no end.
  Answer answer(const Request& request) const;
  // Empty if the request may be answered: else the reason why not.
  Answer refusal(const Request& request) const;
  const LiveReport& report() const { return report_; }

 private:
  ViewServer(LiveReport& report, const ViewAccess& access, Control control)
      : report_(report), access_(access), control_(std::move(control)) {}

  LiveReport& report_;
  const ViewAccess& access_;
  const Control control_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace ringside::tool

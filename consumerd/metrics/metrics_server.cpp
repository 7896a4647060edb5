#include "consumerd/metrics/metrics_server.hpp"

#include <csignal>
#include <cstring>
#include <microhttpd.h>
#include <sched.h>
#include <string_view>
#include <utility>

#include <sys/resource.h>

namespace ringside::consumer {
namespace {

// After this time without a publication the poll loop is considered stuck.
constexpr auto kSilentAfter = std::chrono::seconds(5);
constexpr int kNice = 5;
// More than OpenConnections keeps: some that it dropped are not closed yet.
constexpr unsigned kMostConnections = 2 * OpenConnections::kMost;
constexpr std::size_t kConnectionBytes = 16U << 10;
constexpr unsigned kConnectionTimeoutS = 5;  // without a byte in either direction
constexpr const char* kPlain = "text/plain; charset=utf-8";

// For the server's thread: draining takes precedence, and --cpu applies only to the poll loop.
void stand_back() {
  setpriority(PRIO_PROCESS, 0, kNice);
  cpu_set_t all;
  std::memset(&all, 0xFF, sizeof all);
  sched_setaffinity(0, sizeof all, &all);
}

void free_text(void* text) {
  delete static_cast<std::string*>(text);
}

MHD_Result queue_answer(MHD_Connection* connection, MetricsServer::Answer answer) {
  auto* const body = new std::string(std::move(answer.body));
  MHD_Response* const response = MHD_create_response_from_buffer_with_free_callback_cls(
      body->size(), body->data(), free_text, body);
  if (response == nullptr) {
    free_text(body);
    return MHD_NO;
  }
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  if (answer.status == MHD_HTTP_METHOD_NOT_ALLOWED) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  }
  const MHD_Result result = MHD_queue_response(connection, answer.status, response);
  MHD_destroy_response(response);
  return result;
}

MHD_Result serve(void* server, MHD_Connection* connection, const char* path, const char* method,
                 const char* /*version*/, const char* /*upload*/, std::size_t* upload_bytes,
                 void** /*request*/) {
  thread_local const bool stood_back = (stand_back(), true);
  static_cast<void>(stood_back);
  const MHD_ConnectionInfo* const known =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (known != nullptr && known->socket_context != nullptr) {
    static_cast<OpenConnections::Connection*>(known->socket_context)->asked = true;
  }
  *upload_bytes = 0;
  const std::string_view how(method);
  if (how != MHD_HTTP_METHOD_GET && how != MHD_HTTP_METHOD_HEAD) {
    return queue_answer(connection,
                        {MHD_HTTP_METHOD_NOT_ALLOWED, kPlain, "only GET and HEAD are supported\n"});
  }
  return queue_answer(connection, static_cast<const MetricsServer*>(server)->answer(path));
}

void follow_connection(void* server, MHD_Connection* connection, void** context,
                       MHD_ConnectionNotificationCode what) {
  OpenConnections& connections = static_cast<MetricsServer*>(server)->connections();
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    const MHD_ConnectionInfo* const info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = info == nullptr ? nullptr : connections.open(info->connect_fd);
  } else {
    connections.close(static_cast<const OpenConnections::Connection*>(*context));
    *context = nullptr;
  }
}

}  // namespace

MetricsServer::MetricsServer() : published_{std::make_shared<MetricsSnapshot>(), Clock::now()} {}

std::unique_ptr<MetricsServer> MetricsServer::start(UniqueFd listening) {
  std::unique_ptr<MetricsServer> server(new MetricsServer);
  // The main thread handles signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  server->daemon_ = MHD_start_daemon(
      MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC, 0, nullptr, nullptr, serve, server.get(),
      MHD_OPTION_LISTEN_SOCKET, listening.release(), MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionBytes, MHD_OPTION_CONNECTION_TIMEOUT,
      kConnectionTimeoutS, MHD_OPTION_NOTIFY_CONNECTION, follow_connection, server.get(),
      MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return server->daemon_ == nullptr ? nullptr : std::move(server);
}

MetricsServer::~MetricsServer() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

void MetricsServer::publish(const std::shared_ptr<const MetricsSnapshot>& snapshot) {
  // The old snapshot is freed outside the lock, by its last holder.
  Published next{snapshot, Clock::now()};
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) std::swap(published_, next);
}

MetricsServer::Published MetricsServer::published() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

MetricsServer::Answer MetricsServer::answer(const std::string& path) const {
  const Published last = published();
  const auto silent = Clock::now() - last.when;
  if (path == "/metrics") {
    return {MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8",
            metrics_page(*last.snapshot, std::chrono::duration<double>(silent).count())};
  }
  if (path != "/healthz" && path != "/readyz") {
    return {MHD_HTTP_NOT_FOUND, kPlain, "not found; use /metrics, /healthz or /readyz\n"};
  }
  std::string trouble = path == "/readyz" ? last.snapshot->trouble : "";
  if (silent >= kSilentAfter) trouble = "the poll loop is not running";
  if (trouble.empty()) return {MHD_HTTP_OK, kPlain, "ok\n"};
  return {MHD_HTTP_SERVICE_UNAVAILABLE, kPlain, trouble + "\n"};
}

}  // namespace ringside::consumer

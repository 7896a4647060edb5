#include "tools/ringview/view_server.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <microhttpd.h>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/report/page_text.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kJson = "application/json";
constexpr std::size_t kConnectionBytes = 32U << 10;
constexpr unsigned kConnectionTimeoutS = 60;
// A silent stream says this often that it is alive: then the end of the reader is noticed.
constexpr std::chrono::seconds kHeartbeat{10};
constexpr std::size_t kEventBytes = 64;

// The page, which may ask this server, and no other, for data.
const std::string& live_page() {
  static const std::string page = [] {
    constexpr std::string_view kNothing = "default-src 'none';";
    std::string text(page_text());
    const std::size_t at = text.find(kNothing);
    if (at != std::string::npos) text.insert(at + kNothing.size(), " connect-src 'self';");
    return text;
  }();
  return page;
}

struct Incoming {
  std::string body;
  bool is_too_large = false;
};

struct EventStream {
  const LiveReport& report;
  std::uint64_t known = 0;
};

ssize_t next_event(void* context, std::uint64_t /*position*/, char* buffer, std::size_t most) {
  auto& stream = *static_cast<EventStream*>(context);
  const auto news = stream.report.after(stream.known, kHeartbeat);
  std::string text = ": alive\n\n";
  if (news != nullptr) {
    stream.known = news->number;
    text = fmt::format("data: {}\n\n", news->number);
  }
  return static_cast<ssize_t>(text.copy(buffer, most));
}

void free_stream(void* context) {
  delete static_cast<EventStream*>(context);
}

void add_headers(MHD_Response* response, const char* type) {
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  // What the page itself cannot state.
  MHD_add_response_header(response, "Content-Security-Policy", "frame-ancestors 'none'");
}

MHD_Result queue_answer(MHD_Connection* connection, const ViewServer::Answer& answer) {
  MHD_Response* const response = MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  add_headers(response, answer.type);
  const MHD_Result result = MHD_queue_response(connection, answer.status, response);
  MHD_destroy_response(response);
  return result;
}

MHD_Result queue_events(MHD_Connection* connection, const LiveReport& report) {
  auto* const stream = new EventStream{report};
  MHD_Response* const response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kEventBytes,
                                                                   next_event, stream, free_stream);
  if (response == nullptr) {
    free_stream(stream);
    return MHD_NO;
  }
  add_headers(response, "text/event-stream");
  const MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

std::string header(MHD_Connection* connection, MHD_ValueKind kind, const char* name) {
  const char* const value = MHD_lookup_connection_value(connection, kind, name);
  return value == nullptr ? std::string() : std::string(value);
}

MHD_Result serve(void* context, MHD_Connection* connection, const char* path, const char* method,
                 const char* /*version*/, const char* upload, std::size_t* upload_bytes,
                 void** request_context) {
  const auto& server = *static_cast<const ViewServer*>(context);
  if (*request_context == nullptr) {
    *request_context = new Incoming;
    return MHD_YES;
  }
  auto& incoming = *static_cast<Incoming*>(*request_context);
  if (*upload_bytes != 0) {
    incoming.is_too_large =
        incoming.is_too_large || incoming.body.size() + *upload_bytes > ViewServer::kMostBodyBytes;
    if (!incoming.is_too_large) incoming.body.append(upload, *upload_bytes);
    *upload_bytes = 0;
    return MHD_YES;
  }
  if (incoming.is_too_large)
    return queue_answer(connection, {MHD_HTTP_CONTENT_TOO_LARGE, kPlain, "more than 64 KiB\n"});
  ViewServer::Request request{method,
                              path,
                              header(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST),
                              header(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN),
                              header(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION),
                              std::move(incoming.body)};
  if (request.token.empty()) request.token = header(connection, MHD_GET_ARGUMENT_KIND, "token");
  const ViewServer::Answer refusal = server.refusal(request);
  if (refusal.status != 0) return queue_answer(connection, refusal);
  if (request.path == "/events") return queue_events(connection, server.report());
  return queue_answer(connection, server.answer(request));
}

void complete(void* /*context*/, MHD_Connection* /*connection*/, void** request_context,
              MHD_RequestTerminationCode /*how*/) {
  delete static_cast<Incoming*>(*request_context);
  *request_context = nullptr;
}

}  // namespace

std::unique_ptr<ViewServer> ViewServer::start(int listening, LiveReport& report,
                                              const ViewAccess& access, Control control) {
  std::unique_ptr<ViewServer> server(new ViewServer(report, access, std::move(control)));
  // The main thread handles signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  server->daemon_ = MHD_start_daemon(
      MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC,
      0, nullptr, nullptr, serve, server.get(), MHD_OPTION_LISTEN_SOCKET, listening,
      MHD_OPTION_CONNECTION_LIMIT, kMostConnections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionBytes, MHD_OPTION_CONNECTION_TIMEOUT, kConnectionTimeoutS,
      MHD_OPTION_NOTIFY_COMPLETED, complete, nullptr, MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return server->daemon_ == nullptr ? nullptr : std::move(server);
}

ViewServer::~ViewServer() {
  report_.end();
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

ViewServer::Answer ViewServer::refusal(const Request& request) const {
  if (!access_.allows_host(request.host))
    return {MHD_HTTP_FORBIDDEN, kPlain, "ask for this host by the address that ringview prints\n"};
  if (!access_.allows_origin(request.origin))
    return {MHD_HTTP_FORBIDDEN, kPlain, "pages of other sites may not ask\n"};
  const bool is_control = request.path == "/control";
  const bool is_known =
      request.path == "/" || request.path == "/data" || request.path == "/events" || is_control;
  if (!is_known) return {MHD_HTTP_NOT_FOUND, kPlain, "not found\n"};
  if (request.method != (is_control ? "POST" : "GET"))
    return {MHD_HTTP_METHOD_NOT_ALLOWED, kPlain, "use POST for /control, GET for the rest\n"};
  // The page itself has no data.
  if (request.path != "/" && !access_.allows_token(request.token))
    return {MHD_HTTP_UNAUTHORIZED, kPlain,
            "open the address that ringview prints, with its token\n"};
  if (is_control && !control_)
    return {MHD_HTTP_FORBIDDEN, kPlain, "ringview runs without --allow-control\n"};
  return {};
}

ViewServer::Answer ViewServer::answer(const Request& request) const {
  if (request.path == "/") return {MHD_HTTP_OK, "text/html; charset=utf-8", live_page()};
  if (request.path == "/control") {
    std::string text;
    const bool is_done = control_(request.body, &text);
    return {is_done ? unsigned{MHD_HTTP_OK} : unsigned{MHD_HTTP_BAD_REQUEST}, kPlain, text};
  }
  const auto newest = report_.newest();
  std::string body = newest->json;
  const std::size_t end = body.rfind('}');
  body.replace(end, std::string::npos,
               fmt::format(",\n\"live\":{{\"number\":{},\"control\":{},\"call_costs\":{}}}}}\n",
                           newest->number, static_cast<bool>(control_), newest->call_costs));
  return {MHD_HTTP_OK, kJson, std::move(body)};
}

}  // namespace ringside::tool

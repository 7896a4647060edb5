#include "tools/ringview/view_server.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <microhttpd.h>
#include <string_view>
#include <strings.h>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>

#include "tools/report/page_text.hpp"
#include "tools/ringview/packed_text.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kJson = "application/json";
constexpr std::size_t kConnectionBytes = 32U << 10;
constexpr unsigned kConnectionTimeoutS = 60;
// A silent stream says this often that it is alive: then the end of the reader is noticed.
constexpr std::chrono::seconds kHeartbeat{10};
constexpr std::size_t kEventBytes = 4096;
// Connections that were shut down take a moment to end.
constexpr unsigned kMostThreads = 2 * ConnectionLimits::kMostConnections;

// The page, which may ask this server, and no other, for data.
std::string live_page() {
  constexpr std::string_view kNothing = "default-src 'none';";
  std::string text(page_text());
  const std::size_t at = text.find(kNothing);
  if (at != std::string::npos) text.insert(at + kNothing.size(), " connect-src 'self';");
  return text;
}

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

struct Incoming {
  std::string body;
  bool is_too_large = false;
};

struct EventStream {
  const ViewServer& server;
  std::uint64_t known = 0;
  std::string text;  // what is not sent yet of an event
};

ssize_t next_event(void* context, std::uint64_t /*position*/, char* buffer, std::size_t most) {
  auto& stream = *static_cast<EventStream*>(context);
  if (stream.text.empty()) {
    const auto news = stream.server.board().after(stream.known, kHeartbeat);
    if (news == nullptr) {
      if (stream.server.board().ends()) return MHD_CONTENT_READER_END_OF_STREAM;
      stream.text = ": alive\n\n";
    } else {
      stream.known = news->number;
      stream.text = fmt::format("data: {}\n\n", stream.server.live_text(*news));
    }
  }
  const std::size_t bytes = stream.text.copy(buffer, most);
  stream.text.erase(0, bytes);
  return static_cast<ssize_t>(bytes);
}

void free_stream(void* context) {
  delete static_cast<EventStream*>(context);
}

void free_body(void* context) {
  delete static_cast<std::shared_ptr<const std::string>*>(context);
}

void add_headers(MHD_Response* response, const char* type) {
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  // What the page itself cannot state.
  MHD_add_response_header(response, "Content-Security-Policy", "frame-ancestors 'none'");
}

// Without a copy: the body lives as long as the response.
MHD_Result queue_answer(MHD_Connection* connection, const ViewServer::Answer& answer) {
  auto* const body = new std::shared_ptr<const std::string>(answer.body);
  MHD_Response* const response = MHD_create_response_from_buffer_with_free_callback_cls(
      answer.body->size(), const_cast<char*>(answer.body->data()), free_body, body);
  if (response == nullptr) {
    free_body(body);
    return MHD_NO;
  }
  add_headers(response, answer.type);
  if (answer.allow != nullptr)
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, answer.allow);
  if (answer.is_gzip) MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
  const MHD_Result result = MHD_queue_response(connection, answer.status, response);
  MHD_destroy_response(response);
  return result;
}

MHD_Result queue_events(MHD_Connection* connection, const ViewServer& server) {
  auto* const stream = new EventStream{server, 0, {}};
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

std::string header(MHD_Connection* connection, const char* name) {
  const char* const value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? std::string() : std::string(value);
}

MHD_Result count_host(void* context, MHD_ValueKind /*kind*/, const char* name,
                      const char* /*value*/) {
  if (::strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) ++*static_cast<std::size_t*>(context);
  return MHD_YES;
}

ConnectionLimits::Connection* place_of(MHD_Connection* connection) {
  const MHD_ConnectionInfo* const info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == nullptr ? nullptr
                         : static_cast<ConnectionLimits::Connection*>(info->socket_context);
}

// A path is what it is: none of this server has an escaped character.
std::size_t leave_escaped(void* /*context*/, MHD_Connection* /*connection*/, char* text) {
  return std::strlen(text);
}

MHD_Result serve(void* context, MHD_Connection* connection, const char* path, const char* method,
                 const char* /*version*/, const char* upload, std::size_t* upload_bytes,
                 void** request_context) {
  auto& server = *static_cast<ViewServer*>(context);
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
  ViewServer::Request request;
  request.method = method;
  request.path = path;
  request.host = header(connection, MHD_HTTP_HEADER_HOST);
  MHD_get_connection_values(connection, MHD_HEADER_KIND, count_host, &request.hosts);
  request.origin = header(connection, MHD_HTTP_HEADER_ORIGIN);
  request.authorization = header(connection, MHD_HTTP_HEADER_AUTHORIZATION);
  request.accepted_encodings = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING);
  request.body = std::move(incoming.body);
  if (auto* const place = place_of(connection); place != nullptr)
    server.limits().request_is_complete(place, server.has_token(request));
  if (incoming.is_too_large)
    return queue_answer(connection,
                        {MHD_HTTP_CONTENT_TOO_LARGE, kPlain, shared("more than 64 KiB\n")});
  const ViewServer::Answer refusal = server.refusal(request);
  if (refusal.status != 0) return queue_answer(connection, refusal);
  if (request.path == "/events") return queue_events(connection, server);
  return queue_answer(connection, server.answer(request));
}

void complete(void* /*context*/, MHD_Connection* /*connection*/, void** request_context,
              MHD_RequestTerminationCode /*how*/) {
  delete static_cast<Incoming*>(*request_context);
  *request_context = nullptr;
}

MHD_Result may_connect(void* context, const sockaddr* /*address*/, socklen_t /*bytes*/) {
  return static_cast<ViewServer*>(context)->limits().make_place() ? MHD_YES : MHD_NO;
}

void follow_connection(void* context, MHD_Connection* connection, void** socket_context,
                       MHD_ConnectionNotificationCode code) {
  ConnectionLimits& limits = static_cast<ViewServer*>(context)->limits();
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const MHD_ConnectionInfo* const info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info != nullptr) *socket_context = limits.began(info->connect_fd);
  } else if (*socket_context != nullptr) {
    limits.ended(static_cast<ConnectionLimits::Connection*>(*socket_context));
    *socket_context = nullptr;
  }
}

}  // namespace

std::unique_ptr<ViewServer> ViewServer::start(int listening, LiveBoard& board,
                                              const ViewAccess& access, Control control) {
  // The main thread handles signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::unique_ptr<ViewServer> server(new ViewServer(board, access, std::move(control)));
  server->daemon_ = MHD_start_daemon(
      MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC,
      0, may_connect, server.get(), serve, server.get(), MHD_OPTION_LISTEN_SOCKET, listening,
      MHD_OPTION_CONNECTION_LIMIT, kMostThreads, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionBytes, MHD_OPTION_CONNECTION_TIMEOUT, kConnectionTimeoutS,
      MHD_OPTION_NOTIFY_COMPLETED, complete, nullptr, MHD_OPTION_NOTIFY_CONNECTION,
      follow_connection, server.get(), MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, nullptr,
      MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return server->daemon_ == nullptr ? nullptr : std::move(server);
}

ViewServer::~ViewServer() {
  board_.end();
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

bool ViewServer::has_token(const Request& request) const {
  return access_.allows_token(request.authorization);
}

ViewServer::Answer ViewServer::refusal(const Request& request) const {
  const auto refused = [](unsigned status, const char* why) {
    return Answer{status, kPlain, shared(why)};
  };
  if (request.hosts > 1) return refused(MHD_HTTP_BAD_REQUEST, "more than one Host header\n");
  if (!access_.allows_host(request.host))
    return refused(MHD_HTTP_FORBIDDEN, "ask for this host by the address that ringview prints\n");
  if (!access_.allows_origin(request.origin))
    return refused(MHD_HTTP_FORBIDDEN, "pages of other sites may not ask\n");
  const bool is_control = request.path == "/control";
  const bool is_known =
      request.path == "/" || request.path == "/data" || request.path == "/events" || is_control;
  if (!is_known) return refused(MHD_HTTP_NOT_FOUND, "not found\n");
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_control ? request.method != "POST" : !is_read) {
    Answer answer =
        refused(MHD_HTTP_METHOD_NOT_ALLOWED, "use POST for /control, GET for the rest\n");
    answer.allow = is_control ? "POST" : "GET, HEAD";
    return answer;
  }
  // The page itself has no data.
  if (request.path != "/" && !has_token(request))
    return refused(MHD_HTTP_UNAUTHORIZED,
                   "open the address that ringview prints, with its token\n");
  if (is_control && !control_)
    return refused(MHD_HTTP_FORBIDDEN, "ringview runs without --allow-control\n");
  return {};
}

std::string ViewServer::live_text(const LiveState& state) const {
  return fmt::format("{{{},\"control\":{}}}", live_members(state), static_cast<bool>(control_));
}

ViewServer::Answer ViewServer::data(bool is_gzip) const {
  const std::lock_guard lock(mutex_);
  const auto newest = board_.newest();
  if (plain_ == nullptr || number_ != newest->number) {
    std::string body = *newest->data;
    body.replace(body.rfind('}'), std::string::npos,
                 fmt::format(",\n\"live\":{}}}\n", live_text(*newest)));
    plain_ = shared(std::move(body));
    packed_ = nullptr;
    number_ = newest->number;
  }
  if (is_gzip && packed_ == nullptr) packed_ = shared(packed_as_gzip(*plain_));
  const bool is_packed = is_gzip && !packed_->empty();
  return {MHD_HTTP_OK, kJson, is_packed ? packed_ : plain_, nullptr, is_packed};
}

ViewServer::Answer ViewServer::answer(const Request& request) const {
  if (request.path == "/data") return data(accepts_gzip(request.accepted_encodings));
  if (request.path == "/control") {
    std::string text;
    const bool is_done = control_(request.body, &text);
    return {is_done ? unsigned{MHD_HTTP_OK} : unsigned{MHD_HTTP_BAD_REQUEST}, kPlain,
            shared(std::move(text))};
  }
  static const std::shared_ptr<const std::string> page = shared(live_page());
  return {MHD_HTTP_OK, "text/html; charset=utf-8", page};
}

}  // namespace ringside::tool

// Levels, texts and formats that are only known when the service runs.
#include <string>

#include <ringside/ringside.hpp>
#include <ringside/runtime_format.hpp>
#include <ringside/text.hpp>

namespace {

struct Reply {
  int status;
  std::string body;
};

void log_reply(const Reply& reply) {
  const ringside::Level level = reply.status < 500 ? ringside::Level::info : ringside::Level::error;
  RS_LOG(level, "replied %d with %zu bytes", reply.status, reply.body.size());
  RS_TEXT(level, reply.body);
}

// The translator's texts: the last one is wrong.
const char* translated(int message) {
  constexpr const char* kTexts[] = {"%s hat %d Nachrichten", "%d Nachrichten von %s"};
  return kTexts[message];
}

}  // namespace

int main() {
  log_reply({200, "{\"load\": \"7%\"}"});
  log_reply({503, "%n {}: not a format"});

  const std::string user = "ann";
  const int unread = 3;
  for (int message = 0; message < 2; ++message) {
    RS_LOG_RUNTIME(RS_LEVEL_NOTICE, translated(message), user, unread);
  }
  const std::string layout = "{user:>6} has {} unread";
  RS_FMT_RUNTIME(RS_LEVEL_INFO, layout, unread, RS_NAMED("user", user));
  return 0;
}

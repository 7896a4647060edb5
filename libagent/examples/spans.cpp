// Spans: how long a request and its parts took. Counters: how many wait. `ringcat --to perfetto`
// draws both, `ringcat --to folded` makes a flame graph, `ringcat hist` shows a histogram.
#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>

#include <ringside/span.hpp>

namespace {

void read_block(std::uint32_t block) {
  RS_SPAN("read_block", RS_ARG(block));
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void handle_get(std::string_view key, std::uint32_t blocks) {
  RS_NAMED_SPAN(INFO, request, "handle_get", RS_ARG(key));
  for (std::uint32_t i = 0; i < blocks; ++i) {
    RS_COUNTER("blocks", RS_NAMED("waiting", blocks - i));
    read_block(i);
  }
  RS_HISTOGRAM("blocks_of_get", RS_ARG(blocks));
  RS_SPAN_SET(request, RS_NAMED("bytes", blocks * 4096), RS_NAMED("status", "found"));
  RS_NAMED_SPAN(DEBUG, reply, "reply");
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  reply.end();
  RS_MARK("replied", RS_ARG(key));
}

}  // namespace

int main() {
  // Recorded at once: `ringcat spans --open` shows it until it ends.
  RS_NAMED_OPEN_SPAN(INFO, serving, "serve", RS_NAMED("requests", 2));
  handle_get("alpha", 2);
  handle_get("beta", 1);
  RS_SPAN_SET(serving, RS_NAMED("status", "done"));
  return 0;
}

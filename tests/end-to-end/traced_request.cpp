// A request of a service that takes part in W3C Trace Context: it gets the caller's `traceparent`,
// records a span, and prints the `traceparent` of its own request to another service.
#include <cstdio>
#include <string_view>

#include "libagent/include/ringside/activity.hpp"
#include "libagent/include/ringside/span.hpp"
#include "libagent/include/ringside/trace_context.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string_view header(argv[1]);
  const auto caller = ringside::parse_traceparent(header);
  if (!caller) return 1;
  const ringside::Activity activity(caller->trace_id);
  RS_SPAN("serve", RS_ARG(header));
  const auto next = ringside::format_traceparent(
      {ringside::current_activity(), ringside::new_span_id(), caller->is_sampled});
  std::printf("%.*s\n", static_cast<int>(next.size()), next.data());
  return 0;
}

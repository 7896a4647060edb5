/* A service in C11: options, printf style, a bit-field, an event, a span, a gate, a histogram. */
#include <stdint.h>

#include <ringside/event.h>
#include <ringside/ringside.h>
#include <ringside/span.h>

struct order {
  const char* symbol;
  double px;
  uint64_t id;
  unsigned side : 2;
};

static void fill(const struct order* o, int attempts) {
  RS_BEGIN_SPAN(INFO, span, "fill", RS_NAMED("id", o->id), RS_NAMED("symbol", o->symbol));
  RS_INFO("order %lu of %s filled at %.2f, side %u", o->id, o->symbol, o->px, o->side);
  RS_EVENT(INFO, "order.fill", RS_NAMED("px", o->px), RS_ARG(attempts), RS_NAMED("at", "XETR"));
  // NOLINTNEXTLINE(bugprone-branch-clone)
  RS_IF(attempts > 1, RS_WARNING("order %lu took %d attempts", o->id, attempts));
  RS_HISTOGRAM("attempts", RS_ARG(attempts));
  RS_END_SPAN(span);
}

int main(void) {
  const struct rs_options options = {.struct_bytes = sizeof options,
                                     .service = "matching",
                                     .level = RS_LEVEL_INFO,
                                     .overflow = RS_OVERFLOW_DROP};
  if (!rs_init_with(&options)) return 1;
  const struct order first = {"ABC", 100.25, 7, 1};
  const struct order second = {"XYZ", 99.5, 8, 2};
  fill(&first, 1);
  fill(&second, 3);
  RS_DEBUG("below the level of the options");
  return 0;
}

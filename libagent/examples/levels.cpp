// Levels: a statement that is switched off costs one load and one branch, and its arguments are not
// evaluated. `ringctl level` and `ringctl enable` change the same switches from outside.
#include <ringside/ringside.hpp>

namespace {

int evaluations = 0;

int expensive_state() {
  ++evaluations;
  return 42;
}

void serve(int request) {
  RS_TRACE("request %d: state %d", request, expensive_state());
  RS_DEBUG("request %d: parsed", request);
  RS_INFO("request %d: served", request);
  if (request == 2) {
    RS_ERROR("request %d: connection reset", request);
  }
}

}  // namespace

int main() {
  ringside::Options options;
  options.level = ringside::Level::info;  // The variable RINGSIDE_LEVEL overrides it.
  ringside::init(options);
  serve(1);  // its INFO

  ringside::set_level(ringside::Level::trace);
  serve(2);  // all four

  ringside::set_level(ringside::Level::error);
  serve(3);  // nothing

  RS_CRITICAL("state evaluated %d time(s)", evaluations);
  return 0;
}

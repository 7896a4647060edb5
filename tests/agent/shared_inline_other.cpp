#include "tests/agent/shared_inline.hpp"

namespace ringside::test {

void log_from_other_unit(int value) {
  log_from_header(value);
}
void stream_from_other_unit(int value) {
  stream_from_header(value);
}

void log_template_from_other_unit() {
  log_from_template<short>(3);
}

}  // namespace ringside::test

// Gates: they record some executions of a statement and count the others.
#include <ringside/event.hpp>
#include <ringside/ringside.hpp>
#include <ringside/stream.hpp>

namespace {

constexpr unsigned kSlow = 2;

void on_packet(int number, int size) {
  RS_EVERY_N(4, RS_DEBUG("packet %d of %d bytes", number, size));
  RS_FIRST_N(2, RS_EVENT(INFO, "packet.early", number, size));
  RS_ONCE(RS_STREAM(INFO) << "first packet has " << size << " bytes");
  RS_IF(size > 1500, RS_FMT(NOTICE, "jumbo packet of {} bytes", size));
  RS_IF(size == 0, RS_EVERY_MS(60'000, RS_WARNING("packet %d is empty", number)));
  RS_WITH_CATEGORY("net", RS_WITH_KEYWORDS(kSlow, RS_EVERY_N(3, RS_INFO("checked %d", number))));
}

}  // namespace

int main() {
  for (int number = 1; number <= 6; ++number) on_packet(number, number % 3 * 800);
  return 0;
}

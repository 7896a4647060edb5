// A service that records events, and values of all kinds in each style.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <ringside/adapt.hpp>
#include <ringside/address.hpp>
#include <ringside/event.hpp>
#include <ringside/ringside.hpp>
#include <ringside/stream.hpp>

namespace app {

enum class Side : std::uint8_t { buy = 1, sell = 2 };

struct Point {
  int x;
  double y;
};
RS_ADAPT(Point, x, y)

struct Move {
  Point from;
  Point to;
  Side side;
};
RS_ADAPT(Move, from, to, side)

}  // namespace app

int main() {
  using namespace app;
  const double px = 100.25;
  const std::string card = "4111";
  for (int i = 0; i < 3; ++i) {
    RS_EVENT(INFO, "order.fill", RS_ARG(px), RS_NAMED("qty", i * 10), RS_NAMED("venue", "XE TR"),
             card);
  }
  const Move move{{1, 2.5}, {3, 4.5}, Side::sell};
  RS_EVENT(NOTICE, "moved", move, static_cast<Side>(9));
  RS_FMT(INFO, "moved {}, {}", move, Side::buy);
  RS_INFO("%s|%-6s|%.2s|%d", Side::buy, Side::sell, Side::buy, Side::sell);
  RS_INFO("unnamed %s", static_cast<Side>(9));
  const std::vector<std::string> names{"a", "b c"};
  const std::vector<std::byte> raw{std::byte{1}, std::byte{255}};
  const std::map<std::string, int> sizes{{"k", 1}};
  RS_EVENT(INFO, "arrays", names, raw, sizes, RS_NAMED("none", std::optional<int>()));
  RS_FMT(INFO, "{} {} {}", names, (std::pair<int, char>(1, 'c')), std::chrono::seconds(5));
  const std::vector<Point> path{{1, 2.5}, {3, 4.5}};
  std::variant<std::monostate, int, std::string> any = "a text";
  RS_EVENT(INFO, "parts", path, any, RS_NAMED("none", std::optional<Point>()));
  RS_FMT(INFO, "{} and {}", path, any);
  any = 5;
  RS_FMT(INFO, "value {}!", any);
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(8080);
  peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  RS_EVENT(INFO, "accepted", peer);
  RS_FMT(INFO, "from {:>16}", peer);
  const std::string broken =
      "a\xff"
      "b";
  RS_FMT(INFO, "broken {}", broken);
  RS_STREAM(INFO) << "stream " << move << ' ' << Side::buy << ' ' << names << ' ' << peer << " at "
                  << std::chrono::milliseconds(7);
  const std::error_code error = std::make_error_code(std::errc::timed_out);
  RS_EVENT(ERROR, "failed", error);
  return 0;
}

// Structured events: a name and fields. Literals are stored once, enumerations show their names,
// and a type of your own has a field for each member.
#include <chrono>
#include <string>
#include <vector>

#include <ringside/adapt.hpp>
#include <ringside/event.hpp>

namespace shop {

enum class Side { buy = 1, sell };

struct Order {
  unsigned id;
  Side side;
  double px;
};
RS_ADAPT(Order, id, side, px)

}  // namespace shop

int main() {
  const shop::Order order{7, shop::Side::buy, 100.25};
  const std::vector<int> fills{30, 70};
  RS_EVENT(INFO, "order.fill", RS_ARG(order), fills, RS_NAMED("venue", "XETR"));

  const std::string user = "ann";
  const std::chrono::milliseconds wait(12);
  RS_EVENT(WARNING, "session.slow", user, wait);

  RS_FMT(INFO, "{} waits {} to {}", user, wait, order.side);
  RS_FMT(INFO, "filled {} with {}", order, fills);
  return 0;
}

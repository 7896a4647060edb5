// The last record of a process that crashes. `ringcat crash` prints it with the names of functions.
#include <ringside/crash.hpp>
#include <ringside/ringside.hpp>

namespace {

struct Order {
  int id;
  int quantity;
};

[[gnu::noinline]] int quantity_of(const Order* order) {
  RS_INFO("looking at an order");
  return order->quantity;
}

}  // namespace

int main() {
  ringside::install_crash_handler();
  RS_INFO("started");
  const Order* volatile missing = nullptr;
  RS_INFO("quantity %d", quantity_of(missing));
  return 0;
}

// A service whose log calls have arguments of all kinds that name fields.

#include <cstdint>
#include <string>
#include <utility>

#include <ringside/ringside.hpp>

// C's casts are some of the arguments.
#pragma GCC diagnostic ignored "-Wold-style-cast"

namespace {

struct Order {
  long id = 7;
  double price = 100.25;
  std::string symbol = "ABC";
};

template <class First, class Second>
int larger(First first, Second second) {
  return first > second ? first : static_cast<int>(second);
}

}  // namespace

int main() {
  const Order stored;
  const Order* const order = &stored;
  const std::string text = "text";
  const unsigned width = 8;
  RS_INFO("casts %d %u %s", static_cast<int>(order->id), (unsigned)order->id, (const char*)"x");
  RS_INFO("texts %s %s %p", order->symbol.c_str(), std::as_const(text).data(),
          reinterpret_cast<const void*>(&text));
  RS_INFO("constants %d %s %f %d", 42, "text", order->price, (int)(order->id + 1));
  RS_INFO("equal %*d %*d", (int)width, 1, static_cast<int>(width), int(width));
  RS_INFO("template %d %.*s", larger<int, long>(1, 2), static_cast<int>(text.size()), text.data());
  return 0;
}

#include <ringside/ringside.hpp>

int main() {
  RS_NOTICE("Creating table '%s' with id %d", "orders", 11);
  for (int i = 0; i < 3; ++i) {
    RS_INFO("order %d filled at %.2f", i, 100.25 + i);
  }
  return 0;
}

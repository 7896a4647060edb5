#include <ringside/ringside.hpp>

int main() {
  RS_INFO("order %d filled at %.2f", 2, 102.25);
  return 0;
}

// A service with a statement that never runs, and with statements that the compiler copies.

#include "listed_statements.hpp"

#include <ringside/event.hpp>

int main(int argc, char**) {
  listed::enter(1);
  listed::enter_elsewhere();
  listed::measure("here", 2.5);
  listed::measure("here", 3);
  for (int i = 0; i < 3; ++i) {
    RS_EVENT(INFO, "order.fill", RS_NAMED("qty", i), RS_NAMED("side", "B"));
  }
  if (argc > 99) RS_ERROR("never executed %d of %d", argc, 99);
  return 0;
}

// Logs before main and after it.

#include <cstdlib>

#include "libagent/include/ringside/ringside.hpp"

namespace {

struct Early {
  Early() { RS_INFO("early constructor"); }
  ~Early() { RS_INFO("early destructor"); }
};
[[gnu::init_priority(101)]] Early early;

struct Usual {
  Usual() { RS_INFO("constructor"); }
  ~Usual() { RS_INFO("destructor"); }
};
Usual usual;

}  // namespace

int main(int argc, char**) {
  std::atexit([] { RS_INFO("at exit"); });
  RS_INFO("main");
  if (argc > 100) RS_INFO("never executed");
  return 0;
}

// usage: write_orders_trace FILE [MORE]: the trace of orders_trace.hpp, for tests of the program
// ringcat.

#include <fstream>
#include <string>

#include "tests/tools/orders_trace.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::size_t more = argc > 2 ? std::stoul(argv[2]) : 0;
  const auto bytes = ringside::tool::testing::orders_trace(more);
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}

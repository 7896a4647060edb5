// Writes a random Ringside trace to a file, for tests from outside.
//
// usage: write_random_trace SEED FILE [NAME=NUMBER...]
//   NAME  of RandomTraceShape: records, processes, threads, sites, extensions, overlaps, losses,
//         odd_names, any_bytes_in_texts

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/interop/random_trace.hpp"

namespace {

using ringside::tool::testing::RandomTraceShape;

bool set(RandomTraceShape& shape, std::string_view name, std::uint64_t number) {
  const auto small = static_cast<std::uint32_t>(number);
  if (name == "records")
    shape.records = number;
  else if (name == "processes")
    shape.processes = small;
  else if (name == "threads")
    shape.threads = small;
  else if (name == "sites")
    shape.sites = small;
  else if (name == "extensions")
    shape.extensions = number != 0;
  else if (name == "overlaps")
    shape.overlaps = number != 0;
  else if (name == "losses")
    shape.losses = number != 0;
  else if (name == "odd_names")
    shape.odd_names = number != 0;
  else if (name == "any_bytes_in_texts")
    shape.any_bytes_in_texts = number != 0;
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  RandomTraceShape shape;
  bool sound = argc >= 3;
  for (int i = 3; i < argc && sound; ++i) {
    const std::string_view option = argv[i];
    const std::size_t equals = option.find('=');
    sound = equals != std::string_view::npos &&
            set(shape, option.substr(0, equals), std::strtoull(argv[i] + equals + 1, nullptr, 10));
  }
  if (!sound) {
    std::fprintf(stderr, "usage: write_random_trace SEED FILE [NAME=NUMBER...]\n");
    return 2;
  }
  ringside::tool::ConversionReport report;
  ringside::tool::TraceBuilder builder(report);
  add_random_trace(builder, std::strtoull(argv[1], nullptr, 10), shape);
  std::string error;
  std::ofstream file(argv[2], std::ios::binary);
  for (const std::string& path : builder.finish(&error)) {
    file << std::ifstream(path, std::ios::binary).rdbuf();
  }
  if (!error.empty()) std::fprintf(stderr, "%s\n", error.c_str());
  file.close();
  return error.empty() && file.good() ? 0 : 1;
}

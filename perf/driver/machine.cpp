#include "perf/driver/machine.hpp"

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <unistd.h>

#include <sys/utsname.h>

namespace ringside::perf {
namespace {

// The value in a line "key : value" of /proc/cpuinfo.
std::string of_processor(const std::string& key) {
  std::ifstream in("/proc/cpuinfo");
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    return line.substr(colon + 2);
  }
  return {};
}

}  // namespace

nlohmann::json describe_machine() {
  nlohmann::json machine;
  machine["processor"] = of_processor("model name");
  machine["processors"] = sysconf(_SC_NPROCESSORS_ONLN);
  machine["tsc_mhz"] = of_processor("cpu MHz");
  for (const auto& [name, key] :
       {std::pair{"l2_kib", _SC_LEVEL2_CACHE_SIZE}, std::pair{"l3_kib", _SC_LEVEL3_CACHE_SIZE}}) {
    if (const long bytes = sysconf(key); bytes > 0) machine[name] = bytes / 1024;
  }
  machine["memory_mib"] = sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024;
  utsname name{};
  if (uname(&name) == 0) machine["kernel"] = std::string(name.sysname) + " " + name.release;
  machine["virtual"] = of_processor("flags").find(" hypervisor") != std::string::npos;
  return machine;
}

nlohmann::json describe_build() {
#ifdef __clang__
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
#ifdef __OPTIMIZE__
  const bool optimised = true;
#else
  const bool optimised = false;
#endif
  return {{"compiler", compiler}, {"optimised", optimised}};
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  gmtime_r(&now, &parts);
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace ringside::perf

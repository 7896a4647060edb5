#pragma once
// Which services a command of ringctl or ringstat applies to: the options, and the segments found.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside::tool {

struct ServiceChoice {
  std::string shm_dir = "/dev/shm";
  std::vector<std::string> services;  // globs, of which one must match; none: all
  std::optional<std::uint32_t> pid;
};

void add_service_options(CLI::App& app, ServiceChoice& choice);

// The segment files of these services in `shm_dir`, sorted by name. Empty with `*why` if the
// directory cannot be read. Uses only the names of the files: nothing is opened.
std::vector<std::string> chosen_segments(const ServiceChoice& choice, std::string* why);

// "no service is traced in /dev/shm": the message if there are none.
std::string no_such_service(const ServiceChoice& choice);

std::string service_of(const std::string& segment_path);
std::uint32_t pid_of(const std::string& segment_path);

}  // namespace ringside::tool

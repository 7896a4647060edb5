#include "tools/live/service_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "shm-layout/segment_name.hpp"
#include "trace-format/condition/glob.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kGroup = "Select services";

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

void add_service_options(CLI::App& app, ServiceChoice& choice) {
  app.add_option("--service", choice.services, "services with this name")
      ->type_name("GLOB")
      ->group(kGroup)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--pid", choice.pid, "the process with this pid (inside its container)")
      ->type_name("PID")
      ->group(kGroup);
  app.add_option("--shm-dir", choice.shm_dir,
                 "directory of the services' segments; default: RINGSIDE_SHM_DIR")
      ->type_name("DIR")
      ->group(kGroup)
      ->capture_default_str();
  // Where services with the same environment create them.
  const char* const variable =
      std::getenv("RINGSIDE_SHM_DIR");  // NOLINT(concurrency-mt-unsafe): before any thread
  if (variable != nullptr && *variable != '\0') choice.shm_dir = variable;
}

std::string service_of(const std::string& segment_path) {
  return std::string(shm::service_of_segment_name(file_name(segment_path)));
}

std::uint32_t pid_of(const std::string& segment_path) {
  std::string_view rest = file_name(segment_path);
  rest.remove_prefix(
      std::min(rest.size(), shm::kSegmentPrefix.size() + service_of(segment_path).size() + 1));
  std::uint32_t pid = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), pid);
  return pid;
}

std::vector<std::string> chosen_segments(const ServiceChoice& choice, std::string* why) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(choice.shm_dir, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    const std::string service = service_of(path);
    if (service.empty() || (choice.pid && *choice.pid != pid_of(path))) continue;
    if (choice.services.empty() || trace::any_service_glob_fits(choice.services, service)) {
      files.push_back(path);
    }
  }
  if (error) {
    *why = fmt::format("cannot read {}: {}; set --shm-dir to the directory of the segments",
                       choice.shm_dir, error.message());
    return {};
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string no_such_service(const ServiceChoice& choice) {
  if (choice.services.empty() && !choice.pid) {
    return "no traced service in " + choice.shm_dir +
           "; set --shm-dir to the directory of the segments";
  }
  return "no matching service in " + choice.shm_dir +
         "; ringctl list shows all services, --shm-dir selects the directory";
}

}  // namespace ringside::tool

#include "tools/ringcat/fleet_inputs.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/fleet/access_options.hpp"
#include "tools/fleet/fleet_address.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"

namespace ringside::tool {
namespace {

// Records are stored after they were made; the clocks of hosts and server may differ by this much.
constexpr std::int64_t kMostClockErrorNs = 60'000'000'000;

fleet::ReaderRequest request_for(const fleet::FleetAddress& address, const FleetOptions& options,
                                 const FleetInputs::Choice& choice) {
  using Begin = fleet::ReaderRequest::Begin;
  fleet::ReaderRequest request;
  request.access = options.access;
  request.access.servers = address.servers;
  request.host = address.host;
  request.service = address.service;
  request.snapshot = address.snapshot;
  request.most_bytes = options.most_bytes;
  request.follows = choice.follows;
  if (choice.since_ns) {
    request.begin = Begin::kTime;
    request.begin_ns = std::max(*choice.since_ns - kMostClockErrorNs, std::int64_t{0});
  } else if (!choice.needs_history) {
    request.begin = Begin::kNow;
  }
  return request;
}

}  // namespace

void add_fleet_options(CLI::App& app, FleetOptions& options) {
  constexpr const char* kGroup = "Fleet options";
  fleet::add_access_options(app, options.access, kGroup);
  app.add_option("--fleet-disk", options.most_bytes,
                 "space for fetched traces below TMPDIR while this command runs; default: 4GiB")
      ->type_name("SIZE")
      ->group(kGroup)
      ->transform(CLI::AsSizeValue(false));
}

bool FleetInputs::take(std::vector<std::string>& paths, const FleetOptions& options,
                       const Choice& choice) {
  for (std::string& path : paths) {
    if (!fleet::is_fleet_address(path)) continue;
    const std::string shown = fleet::shown_fleet_address(path);
    fleet::FleetAddress address;
    std::string why;
    if (!fleet::parse_fleet_address(path, address, &why)) {
      complain(why);
      return false;
    }
    auto reader = fleet::ReaderProcess::start(request_for(address, options, choice), &why);
    if (reader == nullptr) {
      complain(fmt::format("{}: {}", shown, why));
      return false;
    }
    while (true) {
      const auto line = reader->next(-1);
      if (!line || line->kind == "failed") {
        complain(shown + ": " + (line ? line->text : "fleet-reader ended; try again"));
        return false;
      }
      if (line->kind == "directory") path = line->text;
      if (line->kind == "complete") break;
      report(*line);
    }
    readers_.push_back(std::move(reader));
  }
  return true;
}

void FleetInputs::report(const fleet::ReaderLine& line) {
  if (line.kind == "directory" || line.kind == "complete") return;
  complain(line.text);
  if (line.kind == "damage") exit_code_ = std::max(exit_code_, kExitDamaged);
  if (line.kind == "failed") exit_code_ = kExitUnreadable;
}

bool FleetInputs::check() {
  for (const auto& reader : readers_) {
    while (const auto line = reader->next(0)) report(*line);
    if (reader->has_ended() && exit_code_ != kExitUnreadable) {
      complain("fleet-reader ended; start this command again");
      exit_code_ = kExitUnreadable;
    }
  }
  return exit_code_ != kExitUnreadable;
}

}  // namespace ringside::tool

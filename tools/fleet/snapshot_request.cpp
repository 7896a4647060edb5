#include "tools/fleet/snapshot_request.hpp"

#include <ctime>
#include <exception>
#include <random>
#include <stdexcept>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/fleet/extent_subject.hpp"

namespace ringside::fleet {
namespace {

using nlohmann::json;

constexpr int kSnapshotVersion = 1;
constexpr std::size_t kMostRequestBytes = std::size_t{64} << 10;
constexpr std::size_t kMostAnswerBytes = std::size_t{16} << 10;

json parse_snapshot(std::string_view text, std::size_t most_bytes) {
  if (text.size() > most_bytes) throw std::length_error("it is too long");
  json parsed = json::parse(text);
  if (parsed.at("version").get<int>() != kSnapshotVersion)
    throw std::out_of_range("its version is another one");
  return parsed;
}

std::string checked_id(const json& parsed) {
  auto id = parsed.at("id").get<std::string>();
  if (id != subject_part(id))
    throw std::invalid_argument("its id has characters that are not letters, digits, - or _");
  return id;
}

// Host names of others may be printed and stored, but not trusted.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace

std::string new_snapshot_id() {
  std::random_device random;
  return fmt::format("{:%Y%m%dT%H%M%S}-{:08x}", fmt::gmtime(std::time(nullptr)), random());
}

std::string write_snapshot_request(const FleetSnapshotRequest& request) {
  return dumped({{"version", kSnapshotVersion},
                 {"id", request.id},
                 {"services", request.services},
                 {"activity", request.activity},
                 {"where", request.where},
                 {"level", request.level},
                 {"since", request.since},
                 {"until", request.until},
                 {"reason", request.reason},
                 {"origin", request.origin}});
}

bool read_snapshot_request(std::string_view text, FleetSnapshotRequest& request, std::string* why) {
  try {
    const json parsed = parse_snapshot(text, kMostRequestBytes);
    request.id = checked_id(parsed);
    request.services = parsed.at("services").get<std::vector<std::string>>();
    request.activity = parsed.at("activity").get<std::string>();
    request.where = parsed.at("where").get<std::string>();
    request.level = parsed.at("level").get<std::string>();
    request.since = parsed.at("since").get<std::string>();
    request.until = parsed.at("until").get<std::string>();
    request.reason = parsed.at("reason").get<std::string>();
    request.origin = parsed.at("origin").get<std::string>();
    return true;
  } catch (const std::exception& error) {
    *why = fmt::format("not a request for a snapshot of version {}: {}", kSnapshotVersion,
                       error.what());
    return false;
  }
}

std::string write_snapshot_answer(const FleetSnapshotAnswer& answer) {
  return dumped({{"version", kSnapshotVersion},
                 {"id", answer.id},
                 {"host", answer.host},
                 {"done", answer.is_done},
                 {"segments", answer.segments},
                 {"records", answer.records},
                 {"bytes", answer.bytes},
                 {"error", answer.error}});
}

bool read_snapshot_answer(std::string_view text, FleetSnapshotAnswer& answer) {
  try {
    const json parsed = parse_snapshot(text, kMostAnswerBytes);
    answer.id = checked_id(parsed);
    answer.host = parsed.at("host").get<std::string>();
    answer.is_done = parsed.at("done").get<bool>();
    answer.segments = parsed.at("segments").get<std::uint64_t>();
    answer.records = parsed.at("records").get<std::uint64_t>();
    answer.bytes = parsed.at("bytes").get<std::uint64_t>();
    answer.error = parsed.at("error").get<std::string>();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace ringside::fleet

#include "tools/fleet/host_status.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/fleet/subject_part.hpp"

namespace ringside::fleet {
namespace {

using NumberField = std::pair<const char*, std::uint64_t HostStatus::*>;

constexpr std::array kNumbers = {
    NumberField{"interval_ms", &HostStatus::interval_ms},
    NumberField{"segments", &HostStatus::segments},
    NumberField{"lag_bytes", &HostStatus::lag_bytes},
    NumberField{"oldest_unshipped_ms", &HostStatus::oldest_unshipped_ms},
    NumberField{"records", &HostStatus::records},
    NumberField{"messages", &HostStatus::messages},
    NumberField{"bytes", &HostStatus::bytes},
    NumberField{"lost", &HostStatus::lost},
    NumberField{"refused", &HostStatus::refused},
    NumberField{"failures", &HostStatus::failures},
    NumberField{"snapshots", &HostStatus::snapshots},
};

constexpr std::size_t kMostVersionBytes = 100;
constexpr std::string_view kStatusPrefix = "rs.status.";

}  // namespace

std::string write_host_status(const HostStatus& status) {
  nlohmann::ordered_json json;
  json["version"] = status.version;
  json["unix_ns"] = status.unix_ns;
  for (const auto& [name, member] : kNumbers) json[name] = status.*member;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool read_host_status(std::string_view text, HostStatus& status) {
  if (text.size() > kMostStatusBytes) return false;
  // Without exceptions: the text comes from the network.
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return false;
  const auto version = json.find("version");
  const auto time = json.find("unix_ns");
  if (version == json.end() || !version->is_string() || time == json.end() ||
      !time->is_number_integer()) {
    return false;
  }
  HostStatus read;
  read.version = version->get<std::string>().substr(0, kMostVersionBytes);
  read.unix_ns = time->get<std::int64_t>();
  for (const auto& [name, member] : kNumbers) {
    const auto number = json.find(name);
    if (number == json.end() || !number->is_number_unsigned()) return false;
    read.*member = number->get<std::uint64_t>();
  }
  read.tenant = std::move(status.tenant);
  read.host = std::move(status.host);
  status = std::move(read);
  return true;
}

std::string status_subject(std::string_view tenant, std::string_view host) {
  return std::string(kStatusPrefix) + subject_part(tenant) + "." + subject_part(host);
}

bool read_status_subject(std::string_view subject, HostStatus& status) {
  if (!subject.starts_with(kStatusPrefix)) return false;
  const std::string_view rest = subject.substr(kStatusPrefix.size());
  const std::size_t point = rest.find('.');
  if (point == std::string_view::npos) return false;
  status.tenant = rest.substr(0, point);
  status.host = rest.substr(point + 1);
  return status_subject(status.tenant, status.host) == subject;
}

}  // namespace ringside::fleet

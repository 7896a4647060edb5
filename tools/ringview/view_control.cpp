#include "tools/ringview/view_control.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace ringside::tool {
namespace {

using nlohmann::json;

constexpr std::string_view kLevels[] = {"trace",   "debug", "info",     "notice",
                                        "warning", "error", "critical", "off"};

// A member that is a text without NUL; false if it is there, but something else.
bool take_text(const json& object, const char* name, std::string& text) {
  const auto found = object.find(name);
  if (found == object.end()) return true;
  if (!found->is_string()) return false;
  text = found->get<std::string>();
  return text.find('\0') == std::string::npos;
}

}  // namespace

bool control_command(std::string_view request, const std::string& shm_dir,
                     std::vector<std::string>& command, std::string* why) {
  const json object = json::parse(request, nullptr, false);
  std::string action;
  std::string service;
  std::string site;
  std::string level;
  std::string duration;
  if (!object.is_object() || !take_text(object, "action", action) ||
      !take_text(object, "service", service) || !take_text(object, "site", site) ||
      !take_text(object, "level", level) || !take_text(object, "for", duration)) {
    *why = "a request is a JSON object of texts: action, service, site, level, for";
    return false;
  }
  command.clear();
  if (action == "enable" || action == "disable") {
    if (site.empty()) {
      *why = "missing site: the statements that are to be switched";
      return false;
    }
    command = {action, "--site=" + site};
  } else if (action == "level") {
    if (std::find(std::begin(kLevels), std::end(kLevels), level) == std::end(kLevels)) {
      *why = "the level must be trace, debug, info, notice, warning, error, critical or off";
      return false;
    }
    command = {action, level};
  } else if (action == "snapshot") {
    command = {action};
  } else {
    *why = "the action must be enable, disable, level or snapshot";
    return false;
  }
  if (!service.empty()) command.push_back("--service=" + service);
  if (!duration.empty() && action != "snapshot") command.push_back("--for=" + duration);
  command.push_back("--shm-dir=" + shm_dir);
  return true;
}

}  // namespace ringside::tool

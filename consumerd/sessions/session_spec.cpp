#include "consumerd/sessions/session_spec.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include "trace-format/condition/glob.hpp"
#include "trace-format/condition/level_name.hpp"
#include "trace-format/condition/where_condition.hpp"

namespace ringside::consumer {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostTexts = 256;

// Reads the members of one object, each at most once; the first fault stays.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}

  void text(const char* name, std::string* value) {
    const Json* const member = take(name);
    if (member == nullptr) return;
    if (!member->is_string()) return fault(name, "must be a text");
    *value = member->get<std::string>();
    // Neither a path nor a pattern has one, and functions of C would stop there.
    if (value->find('\0') != std::string::npos) fault(name, "contains a zero byte");
  }
  void texts(const char* name, std::vector<std::string>* values) {
    const Json* const member = take(name);
    if (member == nullptr) return;
    if (!member->is_array() || member->size() > kMostTexts) {
      return fault(name, "must be an array of at most 256 texts");
    }
    for (const Json& one : *member) {
      if (!one.is_string()) return fault(name, "must be an array of at most 256 texts");
      values->push_back(one.get<std::string>());
    }
  }
  void number(const char* name, std::uint64_t* value) {
    const Json* const member = take(name);
    if (member == nullptr) return;
    if (!member->is_number_unsigned()) return fault(name, "must be a whole number from 0");
    *value = member->get<std::uint64_t>();
  }
  void fault(const std::string& name, const std::string& what) {
    if (fault_.empty()) fault_ = "\"" + name + "\" " + what;
  }
  // Empty if everything was valid, and nothing is left over.
  std::string end() {
    for (const auto& [name, value] : object_.items()) {
      if (!taken_.contains(name)) {
        fault(name, "is unknown; use a ringctl of the same version as consumerd");
      }
    }
    return fault_;
  }

 private:
  const Json* take(const char* name) {
    taken_.insert(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const Json& object_;
  std::set<std::string> taken_;
  std::string fault_;
};

std::string take_where(SessionSpec* spec) {
  if (spec->where.empty()) return {};
  std::string why;
  auto parsed = trace::parse_where(spec->where, &why);
  if (!parsed) return why;
  std::string fault = trace::WhereCondition::fault(*parsed);
  if (!fault.empty()) return fault;
  for (const trace::Property unknown :
       {trace::Property::kUnixNs, trace::Property::kHost, trace::Property::kSequence}) {
    if ((parsed->properties & trace::property_bit(unknown)) == 0) continue;
    return "a session cannot use " + std::string(trace::entry_of(unknown).name) +
           ": it is not known yet when a record is checked; remove it from --where";
  }
  spec->condition = std::make_shared<const trace::WhereExpression>(std::move(*parsed));
  return {};
}

}  // namespace

bool SessionSpec::parse_uuid(std::string_view text, shm::SessionUuid* uuid) {
  if (text.size() != 2 * uuid->size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) return false;
    const auto value = static_cast<std::uint8_t>(digit ? c - '0' : c - 'a' + 10);
    (*uuid)[i / 2] = static_cast<std::uint8_t>((*uuid)[i / 2] << 4 | value);
  }
  return true;
}

std::optional<SessionSpec> SessionSpec::parse(std::string_view text, std::string_view name,
                                              std::string* why) {
  const auto refuse = [why](std::string what) -> std::optional<SessionSpec> {
    *why = std::move(what);
    return {};
  };
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return refuse("the request is not a JSON object; use ringctl session");
  SessionSpec spec;
  spec.name = name;
  std::string uuid;
  std::string level;
  Members members(object);
  members.text("uuid", &uuid);
  members.texts("service", &spec.services);
  members.number("pid", &spec.pid);
  members.texts("site", &spec.statements.sites);
  members.texts("file", &spec.statements.files);
  members.texts("function", &spec.statements.functions);
  members.texts("category", &spec.statements.categories);
  members.texts("keyword", &spec.statements.keywords);
  members.text("of_level", &spec.statements.level);
  members.text("regex", &spec.statements.regex);
  members.text("level", &level);
  members.text("where", &spec.where);
  members.text("output", &spec.output_dir);
  members.number("end_unix_ns", &spec.end_unix_ns);
  members.number("rotate_bytes", &spec.rotate_bytes);
  members.number("buffer_bytes", &spec.buffer_bytes);
  if (!parse_uuid(uuid, &spec.uuid)) members.fault("uuid", "must have 32 hexadecimal digits");
  if (spec.output_dir.empty() || spec.output_dir.front() != '/') {
    members.fault("output", "must be an absolute path");
  }
  if (!level.empty()) {
    spec.level = trace::level_of_name(level);
    if (!spec.level) members.fault("level", "must be one of " + trace::level_names());
  }
  std::string fault = members.end();
  if (fault.empty() && !spec.statements.prepare(&fault, {"--keyword", "--of-level", "--regex"})) {
    return refuse(fault);
  }
  if (fault.empty()) fault = take_where(&spec);
  if (!fault.empty()) return refuse(fault);
  return spec;
}

bool SessionSpec::is_for(const std::string& service, std::uint32_t pid_of_service) const {
  if (pid != 0 && pid != pid_of_service) return false;
  return services.empty() || trace::any_service_glob_fits(services, service);
}

bool SessionSpec::wants(const trace::Site& site) const {
  return (!level || site.level >= *level) && statements.fits(site);
}

}  // namespace ringside::consumer

#include "consumerd/configuration/configuration.hpp"

#include <cerrno>
#include <fcntl.h>
#include <set>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/configuration/configuration_table.hpp"
#include "consumerd/configuration/option_settings.hpp"
#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/log/log.hpp"
#include "trace-format/condition/level_name.hpp"

namespace ringside::consumer {
namespace {

constexpr std::size_t kMostBytes = 1U << 20;

// Reads which records of which services a rule matches.
void read_choice(ConfigurationTable& table, std::vector<std::string>* services,
                 trace::StatementPattern* statements) {
  *services = table.texts("service");
  statements->sites = table.texts("site");
  statements->files = table.texts("file");
  statements->functions = table.texts("function");
  statements->categories = table.texts("category");
  statements->keywords = table.texts("keyword");
  statements->level = table.text("of-level").value_or("");
  statements->regex = table.text("regex").value_or("");
  std::string why;
  const trace::StatementPatternNames names{"keyword", "of-level", "regex"};
  if (!statements->prepare(&why, names)) table.fault("", why);
}

SampleRule read_sample(ConfigurationTable& table) {
  SampleRule rule;
  read_choice(table, &rule.services, &rule.statements);
  rule.one_in = table.count("keep-one-in").value_or(0);
  rule.per_second = table.count("keep-per-second").value_or(0);
  if (!table.has("keep-one-in") && !table.has("keep-per-second")) {
    table.fault("keep-one-in", "is missing; set keep-one-in, keep-per-second, or both");
  }
  return rule;
}

RedactionRule read_redaction(ConfigurationTable& table) {
  RedactionRule rule;
  rule.place = table.place();
  read_choice(table, &rule.services, &rule.statements);
  rule.fields = table.texts("field");
  if (!table.has("field")) {
    table.fault("field", "is missing; list globs of the names of the fields to hide");
  }
  if (const auto text = table.text("text")) rule.text = *text;
  if (rule.text.size() > kMostRedactionText) {
    table.fault("text", "must have at most " + std::to_string(kMostRedactionText) + " bytes");
  }
  return rule;
}

TriggerRule::Cause read_cause(ConfigurationTable& table) {
  const std::string cause = table.text("on").value_or("record");
  if (cause == "loss") return TriggerRule::Cause::kLoss;
  if (cause == "death") return TriggerRule::Cause::kServiceDeath;
  if (cause != "record") table.fault("on", "invalid cause; use \"record\", \"loss\" or \"death\"");
  return TriggerRule::Cause::kRecord;
}

TriggerRule read_trigger(ConfigurationTable& table) {
  TriggerRule rule;
  rule.name = table.text("name").value_or("");
  rule.cause = read_cause(table);
  read_choice(table, &rule.services, &rule.statements);
  rule.where = table.text("where").value_or("");
  rule.losses_at_least = table.count("losses").value_or(1);
  if (const auto pause = table.duration("pause")) rule.pause = *pause;
  rule.snapshot = table.flag("snapshot").value_or(false);
  rule.hook = table.texts("hook");
  if (const auto level = table.text("level")) {
    rule.level = trace::level_of_name(*level);
    if (!rule.level) table.fault("level", "invalid level; use one of " + trace::level_names());
  }
  rule.level_services = table.texts("level-service");
  if (const auto time = table.duration("level-for")) rule.level_for = *time;
  std::string why;
  if (rule.name.empty()) {
    table.fault("name", "is missing; set a unique name, for the log and the metrics");
  } else if (!rule.prepare(&why)) {
    table.fault(!rule.where.empty() && rule.condition == nullptr ? "where" : "", why);
  }
  return rule;
}

// Each element of [[name]].
template <class Rule, class Read>
void read_rules(const toml::table& file, const char* name, Read read, ConfigurationFaults& faults,
                std::vector<Rule>* rules) {
  const toml::node* const node = file.get(name);
  if (node == nullptr) return;
  const std::string title = "[[" + std::string(name) + "]]";
  const toml::array* const array = node->as_array();
  if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
    faults.add(node->source(), "write " + title + " once for each rule");
    return;
  }
  for (const toml::node& element : *array) {
    ConfigurationTable table(*element.as_table(), title, faults);
    rules->push_back(read(table));
    table.refuse_others();
  }
}

void read_settings(ConfigurationTable& table, SettingValues* given) {
  for (const Setting& setting : settings()) {
    const std::string key(setting.name);
    std::vector<std::string> values;
    if (setting.form == SettingForm::kValues) {
      values = table.values(key, setting.type);
    } else if (const auto value = table.value(key, setting.type)) {
      values.push_back(*value);
    }
    Options sound;
    for (const std::string& value : values) {
      const std::string fault = apply_setting(setting, value, &sound);
      if (!fault.empty()) table.fault(key, fault);
    }
    if (!values.empty()) given->emplace(key, std::move(values));
  }
}

Configuration read_tables(const toml::table& file, ConfigurationFaults& faults) {
  Configuration configuration;
  ConfigurationTable table(file, "", faults);
  read_settings(table, &configuration.settings);
  for (const char* const rules : {"sample", "redact", "trigger"}) table.expect(rules);
  table.refuse_others();
  read_rules(file, "sample", read_sample, faults, &configuration.rules.samples);
  read_rules(file, "redact", read_redaction, faults, &configuration.rules.redactions);
  std::set<std::string> names;
  const auto read_one = [&names](ConfigurationTable& trigger) {
    TriggerRule rule = read_trigger(trigger);
    if (!names.insert(rule.name).second) trigger.fault("name", "another trigger has this name");
    return rule;
  };
  read_rules(file, "trigger", read_one, faults, &configuration.triggers);
  return configuration;
}

}  // namespace

std::optional<Configuration> parse_configuration(const std::string& text, const std::string& path,
                                                 std::vector<std::string>* faults) {
  ConfigurationFaults found(path);
  Configuration configuration;
  try {
    configuration = read_tables(toml::parse(text), found);
  } catch (const toml::parse_error& error) {
    found.add(error.source(), std::string(error.description()));
  }
  const std::vector<std::string> texts = found.texts();
  if (texts.empty()) return configuration;
  faults->insert(faults->end(), texts.begin(), texts.end());
  return {};
}

std::optional<Configuration> read_configuration(const std::string& path,
                                                std::vector<std::string>* faults) {
  const auto refuse = [&](const std::string& what) {
    faults->push_back(path + ": " + what);
    return std::nullopt;
  };
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return refuse("cannot be read: " + error_text(errno));
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) return refuse("cannot be read: " + error_text(errno));
  if (!S_ISREG(info.st_mode)) return refuse("is not a regular file");
  if ((info.st_mode & S_IWOTH) != 0) {
    return refuse("is writable by all users; remove that permission (chmod o-w)");
  }
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return refuse("is owned by another user; the owner must be root or the user of consumerd");
  }
  std::string text;
  std::string piece(64U << 10, '\0');
  for (;;) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse("cannot be read: " + error_text(errno));
    if (got == 0) break;
    text.append(piece, 0, static_cast<std::size_t>(got));
    if (text.size() > kMostBytes) return refuse("is larger than 1 MiB");
  }
  return parse_configuration(text, path, faults);
}

}  // namespace ringside::consumer

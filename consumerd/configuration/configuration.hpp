#pragma once
// The configuration file of consumerd (TOML): settings that the command line has too, and rules
// that only a file can hold. README.md, "Configuration file", describes it.

#include <optional>
#include <string>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "consumerd/rules/record_rules.hpp"
#include "consumerd/rules/trigger_rule.hpp"

namespace ringside::consumer {

struct Configuration {
  SettingValues settings;  // valid settings only
  RecordRules rules;
  std::vector<TriggerRule> triggers;
};

// Nothing if the text has any fault; then `*faults` has a line for each fault.
std::optional<Configuration> parse_configuration(const std::string& text, const std::string& path,
                                                 std::vector<std::string>* faults);

// The same for a file. A file that other users could have written is refused: rules run programs.
std::optional<Configuration> read_configuration(const std::string& path,
                                                std::vector<std::string>* faults);

}  // namespace ringside::consumer

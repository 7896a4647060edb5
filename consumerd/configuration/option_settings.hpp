#pragma once
// The settings of consumerd that have a name and values: the same on the command line, in the
// environment and in the configuration file.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "consumerd/configuration/options.hpp"

namespace ringside::consumer {

enum class SettingForm {
  kValue,
  kValues,  // any number of values; a source with values replaces those of sources of lower
            // precedence
  kFlag,    // "true" or "false"
};

enum class SettingType {
  kText,
  kNumber,  // sizes included: 1000000 or "1M"
  kFlag,
};

struct Setting {
  std::string_view name;  // as the long option
  SettingForm form;
  SettingType type;  // the type required in a configuration file
  bool reloads;      // whether a running consumerd can change it
};

// All settings.
std::span<const Setting> settings();
const Setting* find_setting(std::string_view name);

// Applies a value. On failure returns the fault, which begins with "must be".
std::string apply_setting(const Setting& setting, const std::string& value, Options* options);

}  // namespace ringside::consumer

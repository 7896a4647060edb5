#pragma once
// The settings of consumerd that have a name and values: the same on the command line, in the
// environment and in the configuration file.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "consumerd/options.hpp"

namespace ringside::consumer {

enum class SettingForm {
  kValue,
  kValues,  // any number of values; a source that has some replaces those of a weaker one
  kFlag,    // "true" or "false"
};

struct Setting {
  std::string_view name;  // as the long option
  SettingForm form;
  bool reloads;  // whether a running consumerd can change it
};

// All of them.
std::span<const Setting> settings();
const Setting* find_setting(std::string_view name);

// Takes a value in. What is wrong with it otherwise, beginning with "must be".
std::string apply_setting(const Setting& setting, const std::string& value, Options* options);

}  // namespace ringside::consumer

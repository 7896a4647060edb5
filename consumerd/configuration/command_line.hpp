#pragma once
// The command line of consumerd, before its settings are checked.

#include <string>
#include <vector>

#include "consumerd/configuration/options.hpp"

namespace ringside::consumer {

struct CommandLine {
  SettingValues settings;
  std::string config_file;
  bool once = false;
  bool check_only = false;
  std::vector<std::string> show_redacted;  // paths
  bool over = false;                       // the requested output was printed
  std::string fault;
};

CommandLine read_command_line(int argc, char** argv);

}  // namespace ringside::consumer

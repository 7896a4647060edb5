#pragma once
// The sessions that ringctl has started, as ringstat shows them.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/live/session_file.hpp"
#include "tools/ringstat/status_text.hpp"

namespace ringside::tool {

struct SessionView {
  std::string name;
  std::string state;
  SessionAnswer answer;  // its texts are not trusted
};

// Those of this user, sorted by name; none if the directory cannot be read.
std::vector<SessionView> sessions_in(const std::string& shm_dir);

StatusTable session_table(const std::vector<SessionView>& sessions);
// Their names and states in one line, if there are any.
void add_sessions(const std::string& shm_dir, std::vector<StatusCell>* remarks);
nlohmann::ordered_json sessions_json(const std::vector<SessionView>& sessions);

}  // namespace ringside::tool

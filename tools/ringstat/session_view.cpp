#include "tools/ringstat/session_view.hpp"

#include <optional>

#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {

std::vector<SessionView> sessions_in(const std::string& shm_dir) {
  std::vector<std::string> names;
  std::string why;
  std::vector<SessionView> sessions;
  if (!SessionFile::names(shm_dir, &names, &why)) return sessions;
  for (const std::string& name : names) {
    const SessionFile file(shm_dir, name);
    const std::optional<SessionAnswer> answer = file.answer();
    sessions.push_back({name, session_state(file, answer), answer.value_or(SessionAnswer())});
  }
  return sessions;
}

StatusTable session_table(const std::vector<SessionView>& sessions) {
  StatusTable table;
  table.columns = {"SESSION", "STATE", "SERVICES", "RECORDS", "DROPPED", "OUTPUT"};
  for (const SessionView& session : sessions) {
    const SessionAnswer& answer = session.answer;
    const bool is_bad = session.state == "no consumerd" || session.state == "disk fails";
    table.rows.push_back(
        {{session.name},
         {trace::visible(session.state), is_bad ? Tone::kBad : Tone::kPlain},
         {std::to_string(answer.services), Tone::kPlain, true},
         {std::to_string(answer.records), Tone::kPlain, true},
         {std::to_string(answer.dropped), answer.dropped != 0 ? Tone::kBad : Tone::kPlain, true},
         {trace::visible(answer.output)}});
  }
  return table;
}

void add_sessions(const std::string& shm_dir, std::vector<StatusCell>* remarks) {
  std::string line;
  for (const SessionView& session : sessions_in(shm_dir)) {
    line += (line.empty() ? "sessions: " : ", ") + session.name + " (" +
            trace::visible(session.state) + ")";
  }
  if (!line.empty()) remarks->push_back({line});
}

nlohmann::ordered_json sessions_json(const std::vector<SessionView>& sessions) {
  auto array = nlohmann::ordered_json::array();
  for (const SessionView& session : sessions) {
    const SessionAnswer& answer = session.answer;
    array.push_back({{"session", session.name},
                     {"state", session.state},
                     {"services", answer.services},
                     {"records", answer.records},
                     {"dropped", answer.dropped},
                     {"bytes", answer.bytes},
                     {"end_unix_ns", answer.end_unix_ns},
                     {"output", answer.output}});
  }
  return array;
}

}  // namespace ringside::tool

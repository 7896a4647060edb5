#pragma once
// The files through which ringctl and consumerd agree on sessions (shm-layout/session_file.hpp), on
// the tools' side.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringside::tool {

// consumerd's answer about one session. Not trusted: its texts are shown as visible().
struct SessionAnswer {
  std::string state;  // "starting", "running", "ending", "ended" or "refused"
  std::string why;
  std::string uuid;
  std::string output;
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  std::uint64_t bytes = 0;
  std::uint64_t end_unix_ns = 0;
  std::uint64_t services = 0;
  bool failing = false;
  bool has_consumer = false;  // the consumerd that wrote it lives
};

class SessionFile {
 public:
  SessionFile(const std::string& shm_dir, const std::string& name);

  // Names of the sessions in the directory that have a request or an answer of this user, sorted.
  // False with `*why` if it cannot be read.
  static bool names(const std::string& shm_dir, std::vector<std::string>* names, std::string* why);

  const std::string& name() const { return name_; }
  bool is_requested() const;
  // Writes the request as a whole. False with `*why`, also if there is one already.
  bool request(const nlohmann::ordered_json& object, std::string* why);
  // False with `*why`; `*existed` is false if there is no request.
  bool withdraw(bool* existed, std::string* why);
  // Nothing if there is none that only this user can have written.
  std::optional<SessionAnswer> answer() const;
  // Removes an answer that is not needed any more.
  void forget_answer() const;

 private:
  const std::string shm_dir_;
  const std::string name_;
  const std::string path_;
};

// What a person needs to know about a session, in one word or two.
std::string session_state(const SessionFile& file, const std::optional<SessionAnswer>& answer);

// 32 random hexadecimal digits.
std::string random_uuid_text();

}  // namespace ringside::tool

#pragma once
// Requests for sessions, and the answers: files beside the segments (shm-layout/session_file.hpp).
// A request counts only if this process's user has written it; the session ends when its request is
// removed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/log/log_once.hpp"
#include "consumerd/sessions/session_spec.hpp"

namespace ringside::consumer {

struct SessionRequest {
  std::string text;
  // Of the file: a request that replaces another one has others.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

struct SessionStatus {
  std::string state;    // "starting", "running", "ending", "ended" or "refused"
  std::string why;      // of an end or a refusal
  std::string uuid;     // of the session, 32 hexadecimal digits
  std::string staging;  // name of the staging file with its buffers
  std::string output;
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  std::uint64_t bytes = 0;  // written to files
  std::uint64_t start_unix_ns = 0;
  std::uint64_t end_unix_ns = 0;  // planned; 0: none
  std::uint64_t services = 0;     // processes whose records it takes now
  bool failing = false;           // its disk accepts nothing at present
};

class SessionRequests {
 public:
  SessionRequests(const std::string& shm_dir, const Log& log) : shm_dir_(shm_dir), log_(log) {}

  // Names of sessions with a request at present, sorted. Reads the directory.
  std::vector<std::string> names() const;
  // The same for answers.
  std::vector<std::string> answered_names() const;

  // Reads the request of a session. Nothing if there is none; one that another user may have
  // written is ignored, and logged once.
  std::optional<SessionRequest> read(const std::string& name);
  // Whether the request is still there and the same.
  bool persists(const std::string& name, const SessionRequest& request) const;
  void remove(const std::string& name) const;

  // The answer is written at once and as a whole, or not at all: then false (without memory, or if
  // another user has created a file of that name).
  bool answer(const std::string& name, const SessionStatus& status) const;
  // An earlier answer; nothing if there is none.
  std::optional<SessionStatus> answered(const std::string& name) const;

 private:
  const std::string shm_dir_;
  const Log& log_;
  LogOnce mentioned_;
};

std::string uuid_text(const shm::SessionUuid& uuid);

}  // namespace ringside::consumer

#include "consumerd/sessions/session_requests.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "consumerd/descriptors/trusted_open.hpp"
#include "shm-layout/session_file.hpp"

namespace ringside::consumer {
namespace {

std::string request_name(const std::string& name) {
  return std::string(shm::kSessionPrefix) + name;
}

std::string status_name(const std::string& name) {
  return request_name(name) + std::string(shm::kSessionStatusSuffix);
}

std::vector<std::string> names_of(const std::string& shm_dir,
                                  std::string_view (*session_of)(std::string_view file)) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(shm_dir.c_str()), closedir);
  if (dir == nullptr) return names;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = session_of(entry->d_name);
    if (!name.empty()) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The whole file, if only this user can have written it. Otherwise nothing, and `*why` unless it
// does not exist.
std::optional<std::string> read_own(const std::string& shm_dir, const std::string& file,
                                    struct stat* info, std::string* why) {
  const UniqueFd fd = open_in(shm_dir, file, O_RDONLY);
  const std::string path = shm_dir + "/" + file;
  if (!fd) {
    if (errno != ENOENT) *why = path + ": " + error_text(errno);
    return {};
  }
  if (fstat(fd.get(), info) != 0) return {};
  if (!S_ISREG(info->st_mode) || info->st_uid != geteuid() || (info->st_mode & 077) != 0 ||
      info->st_nlink != 1) {
    *why =
        path + " is not a regular file that only user " + std::to_string(geteuid()) + " can access";
    return {};
  }
  if (info->st_size > static_cast<off_t>(shm::kMaxSessionRequestBytes)) {
    *why = path + " is longer than 64 KiB";
    return {};
  }
  std::string text(static_cast<std::size_t>(info->st_size), '\0');
  const ssize_t got = pread(fd.get(), text.data(), text.size(), 0);
  if (got != static_cast<ssize_t>(text.size())) return {};
  return text;
}

}  // namespace

std::string uuid_text(const shm::SessionUuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : uuid) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::vector<std::string> SessionRequests::names() const {
  return names_of(shm_dir_, &shm::session_of_request);
}

std::vector<std::string> SessionRequests::answered_names() const {
  return names_of(shm_dir_, &shm::session_of_status);
}

std::optional<SessionRequest> SessionRequests::read(const std::string& name) {
  struct stat info {};
  std::string why;
  std::optional<std::string> text = read_own(shm_dir_, request_name(name), &info, &why);
  if (!text) {
    if (!why.empty() && mentioned_.is_first(why)) {
      log_.error("ignoring the request for session " + name + ": " + why +
                 "; run ringctl as the user of this consumerd");
    }
    return {};
  }
  return SessionRequest{std::move(*text), info.st_dev, info.st_ino};
}

bool SessionRequests::persists(const std::string& name, const SessionRequest& request) const {
  struct stat info {};
  if (lstat((shm_dir_ + "/" + request_name(name)).c_str(), &info) != 0) return errno != ENOENT;
  return info.st_dev == request.device && info.st_ino == request.inode;
}

void SessionRequests::remove(const std::string& name) const {
  unlink((shm_dir_ + "/" + request_name(name)).c_str());
}

bool SessionRequests::answer(const std::string& name, const SessionStatus& status) const {
  const nlohmann::ordered_json object = {
      {"name", name},
      {"state", status.state},
      {"why", status.why},
      {"uuid", status.uuid},
      {"staging", status.staging},
      {"consumerd_pid", getpid()},
      {"output", status.output},
      {"records", status.records},
      {"dropped", status.dropped},
      {"bytes", status.bytes},
      {"start_unix_ns", status.start_unix_ns},
      {"end_unix_ns", status.end_unix_ns},
      {"services", status.services},
      {"failing", status.failing},
  };
  const std::string text =
      object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  const std::string unfinished = status_name(name) + ".new";
  const std::string path = shm_dir_ + "/" + unfinished;
  unlink(path.c_str());
  bool written = false;
  {
    const UniqueFd fd = open_in(shm_dir_, unfinished, O_WRONLY | O_CREAT | O_EXCL, 0600);
    written = fd && write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  if (written && std::rename(path.c_str(), (shm_dir_ + "/" + status_name(name)).c_str()) == 0) {
    return true;
  }
  unlink(path.c_str());
  return false;
}

std::optional<SessionStatus> SessionRequests::answered(const std::string& name) const {
  struct stat info {};
  std::string why;
  const auto text = read_own(shm_dir_, status_name(name), &info, &why);
  if (!text) return {};
  const nlohmann::json object = nlohmann::json::parse(*text, nullptr, false);
  if (!object.is_object()) return {};
  const auto number = [&object](const char* key) -> std::uint64_t {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  };
  const auto word = [&object](const char* key) -> std::string {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  SessionStatus status;
  status.state = word("state");
  status.uuid = word("uuid");
  status.staging = word("staging");
  status.output = word("output");
  status.records = number("records");
  status.dropped = number("dropped");
  status.start_unix_ns = number("start_unix_ns");
  return status;
}

}  // namespace ringside::consumer

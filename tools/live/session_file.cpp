#include "tools/live/session_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <set>
#include <unistd.h>

#include <sys/random.h>
#include <sys/stat.h>

#include "shm-layout/segment_lock.hpp"
#include "shm-layout/segment_name.hpp"
#include "shm-layout/session_file.hpp"
#include "tools/live/segment_file_lock.hpp"
#include "tools/text/error_text.hpp"

namespace ringside::tool {
namespace {

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Whether only this user can have written the open file.
bool is_own(int fd, struct stat* info) {
  return fd >= 0 && fstat(fd, info) == 0 && S_ISREG(info->st_mode) && info->st_uid == geteuid() &&
         (info->st_mode & 077) == 0 && info->st_nlink == 1;
}

bool is_own_file(const std::string& path) {
  const File file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  return is_own(file.fd(), &info);
}

// The lock of the staging file shows whether its consumerd lives.
bool is_staging_locked(const std::string& shm_dir, const std::string& staging) {
  if (!staging.starts_with(shm::kStagingPrefix) || staging.find('/') != std::string::npos) {
    return false;
  }
  const std::string path = shm_dir + "/" + staging;
  const File file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  return is_own(file.fd(), &info) && is_byte_locked(file.fd(), shm::kStagingLockByte);
}

}  // namespace

std::string session_state(const SessionFile& file, const std::optional<SessionAnswer>& answer) {
  if (!answer) return "requested";
  if (answer->state == "ended" || answer->state == "refused") return answer->state;
  if (!answer->has_consumer) return "no consumerd";
  if (answer->failing) return "disk fails";
  return file.is_requested() ? answer->state : "ending";
}

std::string random_uuid_text() {
  unsigned char bytes[16] = {};
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return {};
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

SessionFile::SessionFile(const std::string& shm_dir, const std::string& name)
    : shm_dir_(shm_dir),
      name_(name),
      path_(shm_dir + "/" + std::string(shm::kSessionPrefix) + name) {}

bool SessionFile::names(const std::string& shm_dir, std::vector<std::string>* names,
                        std::string* why) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(shm_dir.c_str()), closedir);
  if (dir == nullptr) {
    *why = "cannot read " + shm_dir + ": " + error_text(errno) +
           "; set --shm-dir to the directory of the segments";
    return false;
  }
  std::set<std::string> found;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    std::string_view name = shm::session_of_request(entry->d_name);
    if (name.empty()) name = shm::session_of_status(entry->d_name);
    if (!name.empty() && is_own_file(shm_dir + "/" + entry->d_name)) found.emplace(name);
  }
  names->assign(found.begin(), found.end());
  return true;
}

bool SessionFile::is_requested() const {
  return is_own_file(path_);
}

bool SessionFile::request(const nlohmann::ordered_json& object, std::string* why) {
  const std::string text = object.dump(-1, ' ', true) + "\n";
  if (text.size() > shm::kMaxSessionRequestBytes) {
    *why = "the selection is too long; use fewer or shorter patterns";
    return false;
  }
  // consumerd must never see half of it.
  const std::string unfinished = path_ + "." + std::to_string(getpid()) + ".new";
  unlink(unfinished.c_str());
  bool written = false;
  {
    const File file(
        open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    written = file.fd() >= 0 && fchmod(file.fd(), 0600) == 0 &&
              write(file.fd(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  if (!written) {
    *why = "cannot write " + unfinished + ": " + error_text(errno) +
           "; set --shm-dir to the directory of the segments, and make room there";
  } else if (renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) ==
             0) {
    return true;
  } else if (errno == EEXIST) {
    *why = "session " + name_ + " exists already; stop it, or choose another name";
  } else {
    *why = "cannot create " + path_ + ": " + error_text(errno) +
           "; set --shm-dir to the directory of the segments";
  }
  unlink(unfinished.c_str());
  return false;
}

bool SessionFile::withdraw(bool* existed, std::string* why) {
  *existed = is_own_file(path_);
  if (!*existed || unlink(path_.c_str()) == 0) return true;
  *why = "cannot remove " + path_ + ": " + error_text(errno) +
         "; run ringctl as the user who started the session";
  return false;
}

std::optional<SessionAnswer> SessionFile::answer() const {
  const std::string path = path_ + std::string(shm::kSessionStatusSuffix);
  const File file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!is_own(file.fd(), &info) ||
      info.st_size > static_cast<off_t>(shm::kMaxSessionRequestBytes)) {
    return {};
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  if (pread(file.fd(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return {};
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) return {};
  const auto number = [&object](const char* key) -> std::uint64_t {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  };
  const auto word = [&object](const char* key) -> std::string {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  SessionAnswer answer;
  answer.state = word("state");
  answer.why = word("why");
  answer.uuid = word("uuid");
  answer.output = word("output");
  answer.records = number("records");
  answer.dropped = number("dropped");
  answer.bytes = number("bytes");
  answer.end_unix_ns = number("end_unix_ns");
  answer.services = number("services");
  const auto failing = object.find("failing");
  answer.failing = failing != object.end() && failing->is_boolean() && failing->get<bool>();
  answer.has_consumer = is_staging_locked(shm_dir_, word("staging"));
  return answer;
}

void SessionFile::forget_answer() const {
  const std::string path = path_ + std::string(shm::kSessionStatusSuffix);
  if (is_own_file(path)) unlink(path.c_str());
}

}  // namespace ringside::tool

#include "tools/fleet/sink_directory.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>

#include "tools/fleet/host_name.hpp"
#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

constexpr const char* kIdentityFile = ".ringsink";
constexpr std::size_t kIdentityDigits = 32;

std::string system_reason() {
  return std::generic_category().message(errno);
}

std::string new_identity() {
  std::array<unsigned char, kIdentityDigits / 2> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string digits;
  for (const unsigned char byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

struct BucketDestroyer {
  void operator()(kvStore* bucket) const { kvStore_Destroy(bucket); }
};
struct EntryDestroyer {
  void operator()(kvEntry* entry) const { kvEntry_Destroy(entry); }
};

}  // namespace

SinkDirectory::SinkDirectory(SinkDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      identity_(std::move(other.identity_)) {}

SinkDirectory::~SinkDirectory() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<SinkDirectory> SinkDirectory::open(const std::string& path, std::string* why) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  const std::string file = path + "/" + kIdentityFile;
  const int fd = code ? -1 : ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd < 0) {
    *why = fmt::format("{}: cannot be used: {}; name a directory that can be written", path,
                       code ? code.message() : system_reason());
    return std::nullopt;
  }
  SinkDirectory directory(path, fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    *why = errno == EWOULDBLOCK
               ? fmt::format(
                     "{}: another ringsink writes there; name another directory and "
                     "another --consumer",
                     path)
               : fmt::format("{}: cannot be locked: {}; use a file system with locks (flock)", file,
                             system_reason());
    return std::nullopt;
  }
  if (!directory.read_identity(why)) return std::nullopt;
  return directory;
}

bool SinkDirectory::read_identity(std::string* why) {
  std::array<char, kIdentityDigits> stored{};
  if (::pread(fd_, stored.data(), stored.size(), 0) == static_cast<ssize_t>(stored.size())) {
    identity_.assign(stored.data(), stored.size());
    return true;
  }
  identity_ = new_identity();
  if (!identity_.empty() &&
      ::pwrite(fd_, identity_.data(), identity_.size(), 0) ==
          static_cast<ssize_t>(identity_.size()) &&
      ::fsync(fd_) == 0) {
    return true;
  }
  *why = fmt::format("{}/{}: cannot be written: {}; free space, or name another directory", path_,
                     kIdentityFile, system_reason());
  return false;
}

SinkDirectory::Claim SinkDirectory::claim(NatsConnection& connection, const std::string& consumer,
                                          bool takes_over, std::string* why) const {
  kvStore* opened = nullptr;
  natsStatus status = js_KeyValue(&opened, connection.jetstream(), kDictionaryBucket);
  const std::unique_ptr<kvStore, BucketDestroyer> bucket(opened);
  const std::string key = "sink." + consumer;
  std::error_code ignored;
  const std::string value = fmt::format("{} {}:{}", identity_, host_name(),
                                        std::filesystem::absolute(path_, ignored).string());
  std::string owner;
  if (status == NATS_OK) {
    // Only one of several processes that begin at the same time can create it.
    if (takes_over) {
      status = kvStore_PutString(nullptr, bucket.get(), key.c_str(), value.c_str());
    } else if (kvStore_CreateString(nullptr, bucket.get(), key.c_str(), value.c_str()) != NATS_OK) {
      kvEntry* found = nullptr;
      status = kvStore_Get(&found, bucket.get(), key.c_str());
      const std::unique_ptr<kvEntry, EntryDestroyer> entry(found);
      if (status == NATS_OK) {
        owner.assign(static_cast<const char*>(kvEntry_Value(found)),
                     static_cast<std::size_t>(kvEntry_ValueLen(found)));
      }
    }
  }
  if (status != NATS_OK) {
    *why = fmt::format(
        "cannot store which directory the consumer '{}' has: {}; run 'ringship init' if the bucket "
        "{} "
        "is missing, and permit the user to publish $KV.{}.{}",
        consumer, nats_reason(status), kDictionaryBucket, kDictionaryBucket, key);
    return Claim::kNotNow;
  }
  if (owner.empty() || owner.starts_with(identity_)) return Claim::kYes;
  const std::size_t space = owner.find(' ');
  *why = fmt::format(
      "the consumer '{}' belongs to the directory {}: each directory would get a part of every "
      "segment; use another --consumer here, or --take-over if the other directory is lost",
      consumer, space == std::string::npos ? "another place" : owner.substr(space + 1));
  return Claim::kOther;
}

}  // namespace ringside::fleet

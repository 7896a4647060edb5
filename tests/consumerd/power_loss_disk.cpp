#include "power_loss_disk.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <unistd.h>
#include <utility>
#include <vector>

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "replaced_syscall.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::DiskOperation;
using consumer::WriteCompletion;
using consumer::WriteRequest;

constexpr std::uint64_t kSector = 512;
using Sector = std::array<std::byte, kSector>;

// Something in the cache, numbered by its time.
template <class Content>
struct Version {
  std::uint64_t number = 0;
  Content content;
};

struct File {
  std::vector<std::byte> medium;
  std::map<std::uint64_t, std::vector<Version<Sector>>> cache;  // by number of the sector
  std::uint64_t length_on_medium = 0;
  std::vector<Version<std::uint64_t>> lengths;  // later ones
  std::int64_t unsynced_since = 0;              // 0: nothing
  bool owes_error = false;                      // a write-back in the background has failed
};

struct Disk {
  std::mt19937_64 random;
  std::string directory;
  unsigned fail_permille = 0;
  std::map<ino_t, File> files;
  std::map<std::string, ino_t> names_on_medium;
  struct Change {
    std::string gone;
    std::string name;
    ino_t file = 0;
  };
  std::vector<Version<Change>> names;
  std::uint64_t number = 0;
  std::uint64_t syncs = 0;
};

// Null while the program works with the real disk and the real clock.
std::unique_ptr<Disk> g_disk;
std::int64_t g_slept_ns = 0;

bool chance(unsigned permille) {
  return g_disk->random() % 1000 < permille;
}

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

std::optional<ino_t> inode_of(int fd) {
  struct stat info {};
  if (g_disk == nullptr || fstat(fd, &info) != 0 || !g_disk->files.contains(info.st_ino)) return {};
  return info.st_ino;
}

bool is_directory(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

// After the real write.
void note_write(ino_t inode, int fd, std::uint64_t offset, std::uint64_t bytes) {
  File& file = g_disk->files[inode];
  const std::uint64_t number = ++g_disk->number;
  for (std::uint64_t at = offset / kSector; at * kSector < offset + bytes; ++at) {
    Version<Sector> version{number, {}};
    [[maybe_unused]] const ssize_t got =
        pread(fd, version.content.data(), kSector, static_cast<off_t>(at * kSector));
    file.cache[at].push_back(version);
  }
  struct stat info {};
  fstat(fd, &info);
  file.lengths.push_back({number, static_cast<std::uint64_t>(info.st_size)});
  if (file.unsynced_since == 0) file.unsynced_since = now_ns();
}

void put_on_medium(File& file, std::uint64_t at, const Sector& content) {
  if (file.medium.size() < (at + 1) * kSector) file.medium.resize((at + 1) * kSector);
  std::copy(content.begin(), content.end(),
            file.medium.begin() + static_cast<std::ptrdiff_t>(at * kSector));
}

// `keeps`: whether a sector really reaches the medium; it counts as written in any case.
template <class Keeps>
void write_back(File& file, std::uint64_t until, const Keeps& keeps) {
  for (auto entry = file.cache.begin(); entry != file.cache.end();) {
    auto& versions = entry->second;
    const auto end = std::find_if(versions.begin(), versions.end(),
                                  [until](const auto& v) { return v.number > until; });
    if (end != versions.begin()) {
      if (keeps()) put_on_medium(file, entry->first, std::prev(end)->content);
      versions.erase(versions.begin(), end);
    }
    entry = versions.empty() ? file.cache.erase(entry) : std::next(entry);
  }
}

// -errno or 0. `began`: the number of the last version before the sync.
int finish_sync(ino_t inode, std::uint64_t began) {
  File& file = g_disk->files[inode];
  if (chance(g_disk->fail_permille)) {
    write_back(file, UINT64_MAX, [] { return chance(500); });
    return -EIO;
  }
  write_back(file, began, [] { return true; });
  std::erase_if(file.lengths, [&](const auto& version) {
    if (version.number > began) return false;
    file.length_on_medium = std::max(file.length_on_medium, version.content);
    return true;
  });
  if (std::exchange(file.owes_error, false)) return -EIO;
  ++g_disk->syncs;
  return 0;
}

void apply(std::map<std::string, ino_t>& names, const Disk::Change& change) {
  if (!change.gone.empty()) names.erase(change.gone);
  if (!change.name.empty()) names[change.name] = change.file;
}

int finish_directory_sync(std::uint64_t began) {
  if (chance(g_disk->fail_permille)) return -EIO;
  std::erase_if(g_disk->names, [&](const auto& v) {
    if (v.number > began) return false;
    apply(g_disk->names_on_medium, v.content);
    return true;
  });
  ++g_disk->syncs;
  return 0;
}

// A write-back in the background that fails, now and then.
void disturb() {
  if (!chance(g_disk->fail_permille / 4)) return;
  for (auto& [inode, file] : g_disk->files) {
    if (file.cache.empty() || chance(500)) continue;
    write_back(file, UINT64_MAX, [] { return chance(500); });
    file.owes_error = true;
  }
}

int sync_at_once(int fd) {
  if (is_directory(fd)) return finish_directory_sync(g_disk->number);
  const auto inode = inode_of(fd);
  if (!inode) return 0;
  g_disk->files[*inode].unsynced_since = 0;
  return finish_sync(*inode, g_disk->number);
}

class CachedQueue final : public consumer::WriteQueue {
 public:
  CachedQueue() { present = this; }
  ~CachedQueue() override { present = nullptr; }
  bool register_slot(std::uint32_t /*slot*/, std::byte* /*data*/, std::size_t /*bytes*/) override {
    return true;
  }
  bool push(const WriteRequest& request, bool /*registered*/) override {
    Operation operation{request, g_disk->number};
    if (request.operation == DiskOperation::kSyncData) {
      if (const auto inode = inode_of(request.fd)) g_disk->files[*inode].unsynced_since = 0;
    }
    operations_.push_back(operation);
    return true;
  }
  std::uint32_t unsent() const override { return 0; }
  int submit() override { return 0; }
  int wait(std::chrono::milliseconds /*bound*/) override {
    PowerLossDisk::advance_ns(100'000);
    return operations_.empty() ? -ETIME : 0;
  }
  bool pop(WriteCompletion* completion) override {
    if (operations_.empty() || chance(400)) return false;
    const std::size_t at = g_disk->random() % operations_.size();
    const Operation operation = operations_[at];
    operations_.erase(operations_.begin() + static_cast<std::ptrdiff_t>(at));
    *completion = {operation.request.slot, carry_out(operation),
                   operation.request.operation != DiskOperation::kWrite};
    return true;
  }
  // Some of them, without anyone who learns of it.
  void drop() {
    for (const Operation& operation : operations_) {
      if (operation.request.operation == DiskOperation::kWrite && chance(500)) carry_out(operation);
    }
    operations_.clear();
  }

  static CachedQueue* present;

 private:
  struct Operation {
    WriteRequest request;
    std::uint64_t began;
  };
  static std::int32_t carry_out(const Operation& operation) {
    const WriteRequest& request = operation.request;
    disturb();
    if (request.operation == DiskOperation::kSync) return finish_directory_sync(operation.began);
    const auto inode = inode_of(request.fd);
    if (!inode) return -EBADF;
    if (request.operation == DiskOperation::kSyncData) return finish_sync(*inode, operation.began);
    if (chance(g_disk->fail_permille)) return -EIO;
    std::uint32_t bytes = request.bytes;
    if (chance(g_disk->fail_permille)) {
      bytes = static_cast<std::uint32_t>(1 + g_disk->random() % bytes);
    }
    const ssize_t written =
        syscall(SYS_pwrite64, request.fd, request.data, std::size_t{bytes}, request.offset);
    if (written > 0) note_write(*inode, request.fd, request.offset, bytes);
    return static_cast<std::int32_t>(written);
  }

  std::vector<Operation> operations_;
};

CachedQueue* CachedQueue::present = nullptr;

// Content and length that may be left of a file.
std::vector<std::byte> remains_of(const File& file, bool drops_all) {
  File left = file;
  for (const auto& [at, versions] : file.cache) {
    const std::size_t pick = g_disk->random() % (versions.size() + 1);
    if (!drops_all && pick > 0) put_on_medium(left, at, versions[pick - 1].content);
  }
  const std::size_t pick = drops_all ? 0 : g_disk->random() % (file.lengths.size() + 1);
  left.medium.resize(pick == 0 ? file.length_on_medium : file.lengths[pick - 1].content);
  return left.medium;
}

std::string name_in(const std::string& path) {
  if (g_disk == nullptr || !path.starts_with(g_disk->directory + "/")) return {};
  return path.substr(g_disk->directory.size() + 1);
}

}  // namespace

void PowerLossDisk::begin(std::uint64_t seed, const std::string& directory) {
  g_disk = std::make_unique<Disk>();
  g_disk->random.seed(seed);
  g_disk->directory = directory;
}

void PowerLossDisk::end() {
  g_disk.reset();
}

void PowerLossDisk::fail(unsigned permille) {
  g_disk->fail_permille = permille;
}

std::unique_ptr<consumer::WriteQueue> PowerLossDisk::make_queue() {
  return std::make_unique<CachedQueue>();
}

void PowerLossDisk::advance_ns(std::int64_t ns) {
  g_slept_ns += ns;
}

std::int64_t PowerLossDisk::oldest_unsynced_ns() {
  std::int64_t oldest = 0;
  for (const auto& [inode, file] : g_disk->files) {
    if (file.unsynced_since != 0) oldest = std::max(oldest, now_ns() - file.unsynced_since);
  }
  return oldest;
}

std::uint64_t PowerLossDisk::syncs() {
  return g_disk->syncs;
}

void PowerLossDisk::drop_queue() {
  if (CachedQueue::present != nullptr) CachedQueue::present->drop();
}

void PowerLossDisk::lose_power(const std::string& image) {
  const bool drops_all = chance(300);
  std::map<std::string, ino_t> names = g_disk->names_on_medium;
  for (const auto& version : g_disk->names) {
    if (!drops_all && chance(500)) apply(names, version.content);
  }
  for (const auto& [name, inode] : names) {
    const std::vector<std::byte> content = remains_of(g_disk->files[inode], drops_all);
    std::ofstream out(image + "/" + name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(content.data()),
              static_cast<std::streamsize>(content.size()));
  }
}

}  // namespace ringside::consumer_test

// These replace the library's functions for the whole program.
extern "C" {

using namespace ringside::consumer_test;

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (g_disk == nullptr || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)) {
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  }
  // A clock of its own, on which a machine that stops this process has no influence.
  constexpr std::int64_t kRealtimeStart = 1'700'000'000;
  g_slept_ns += 100;
  time->tv_sec = g_slept_ns / 1'000'000'000 + (clock == CLOCK_REALTIME ? kRealtimeStart : 1);
  time->tv_nsec = g_slept_ns % 1'000'000'000;
  return 0;
}

int nanosleep(const timespec* duration, timespec* /*rest*/) {
  PowerLossDisk::advance_ns(duration->tv_sec * 1'000'000'000 + duration->tv_nsec);
  return 0;
}

ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
  const auto inode = inode_of(fd);
  if (inode && chance(g_disk->fail_permille)) {
    errno = EIO;
    return -1;
  }
  const ssize_t written = syscall(SYS_pwrite64, fd, data, bytes, offset);
  if (inode && written > 0) {
    note_write(*inode, fd, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(written));
  }
  return written;
}

int fdatasync(int fd) {
  const int result = g_disk == nullptr ? 0 : sync_at_once(fd);
  if (result < 0) errno = -result;
  return result < 0 ? -1 : 0;
}

int fsync(int fd) {
  return fdatasync(fd);
}

int renameat2(int from_dir, const char* from, int to_dir, const char* to, unsigned flags) noexcept {
  const auto result = static_cast<int>(syscall(SYS_renameat2, from_dir, from, to_dir, to, flags));
  const std::string name = result == 0 ? name_in(to) : std::string();
  struct stat info {};
  if (!name.empty() && stat(to, &info) == 0) {
    g_disk->names.push_back({++g_disk->number, {name_in(from), name, info.st_ino}});
  }
  return result;
}

// Opens the files that other processes must not exchange. As in the C library, six arguments are
// read whatever the call has; AddressSanitizer would report those that are absent.
__attribute__((no_sanitize("address"))) long syscall(long number, ...) noexcept {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  const long result = library_syscall(number, arguments);
  if (number != SYS_openat2 || result < 0 || static_cast<int>(arguments[0]) != AT_FDCWD ||
      (reinterpret_cast<const open_how*>(arguments[2])->flags & O_CREAT) == 0) {
    return result;
  }
  const std::string name = name_in(reinterpret_cast<const char*>(arguments[1]));
  struct stat info {};
  if (!name.empty() && fstat(static_cast<int>(result), &info) == 0 &&
      g_disk->files.try_emplace(info.st_ino).second) {
    g_disk->names.push_back({++g_disk->number, {{}, name, info.st_ino}});
  }
  return result;
}
}

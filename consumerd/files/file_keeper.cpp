#include "consumerd/files/file_keeper.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <unistd.h>
#include <utility>

#include "consumerd/files/file_packer.hpp"
#include "consumerd/files/low_priority.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::consumer {
namespace {

// The longest time until a file closed by another process is found.
constexpr auto kRetentionCheckInterval = std::chrono::seconds(30);

}  // namespace

FileKeeper::FileKeeper(const Options& options, const Log& log)
    : options_(options), log_(log), keep_(options.keep) {
  // The main thread handles signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

FileKeeper::~FileKeeper() {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_relaxed);
  finish();
}

void FileKeeper::finish() {
  notify();
  {
    const std::lock_guard lock(mutex_);
    finish_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void FileKeeper::adopt(const std::string& stem) {
  pending_stems_.push_back(stem);
  notify();
}

void FileKeeper::look() {
  pending_check_ = true;
  notify();
}

void FileKeeper::set_keep(const KeepPolicy& keep) {
  pending_keep_ = keep;
  look();
}

void FileKeeper::notify() {
  if (pending_stems_.empty() && !pending_check_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  new_stems_.insert(new_stems_.end(), pending_stems_.begin(), pending_stems_.end());
  check_ = check_ || pending_check_;
  if (pending_keep_) new_keep_ = std::exchange(pending_keep_, std::nullopt);
  pending_stems_.clear();
  pending_check_ = false;
  wake_.notify_one();
}

void FileKeeper::run() {
  // With --once the operator waits for this work.
  if (!options_.once) run_at_low_priority();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!finish_)
      wake_.wait_for(lock, kRetentionCheckInterval, [this] { return check_ || finish_; });
    const bool last = finish_;
    check_ = false;
    own_stems_.insert(new_stems_.begin(), new_stems_.end());
    new_stems_.clear();
    keep_ = std::exchange(new_keep_, std::nullopt).value_or(keep_);
    lock.unlock();
    while (!stop_.load(std::memory_order_relaxed) && work()) {
    }
    if (last) return;
    lock.lock();
  }
}

// Removes surplus files before and after each file is packed, so that neither task waits for the
// other. True if there may be more to do.
bool FileKeeper::work() {
  auto services = closed_files(options_.output_dir, own_stems_, [this](const std::string& service) {
    return serves(options_, service);
  });
  bool packed = false;
  for (auto& [service, files] : services) {
    remove_surplus(&files);
    packed = (keep_.pack && pack_one(files)) || packed;
  }
  return packed;
}

// `files` keeps the files that remain.
void FileKeeper::remove_surplus(std::vector<ClosedFile>* files) {
  std::uint64_t bytes = 0;
  for (const ClosedFile& file : *files) bytes += file.bytes;
  std::size_t oldest = 0;
  while (oldest < files->size() && ((keep_.files != 0 && files->size() - oldest > keep_.files) ||
                                    (keep_.bytes != 0 && bytes > keep_.bytes))) {
    if (!remove((*files)[oldest])) break;
    bytes -= (*files)[oldest].bytes;
    ++oldest;
  }
  files->erase(files->begin(), files->begin() + static_cast<std::ptrdiff_t>(oldest));
}

bool FileKeeper::remove(const ClosedFile& file) {
  const std::string path = options_.output_dir + "/" + file.name.text();
  UniqueFd claim;
  if (file.plain) {
    claim = claim_trace_file(path);
    if (!claim) return false;
  }
  // The packed file first: an unpacked file without it is complete, and is found again.
  if ((file.packed && unlink(trace::packed_name(path).c_str()) != 0 && errno != ENOENT) ||
      (file.plain && unlink(path.c_str()) != 0 && errno != ENOENT)) {
    log_once("cannot remove " + path + ": " + error_text(errno) +
             "; make the output directory writable for this user");
    return false;
  }
  log_.detail("removed " + path);
  return true;
}

// Packs the oldest file that is not packed yet.
bool FileKeeper::pack_one(const std::vector<ClosedFile>& files) {
  for (const ClosedFile& file : files) {
    if (!file.plain) continue;
    const std::string path = options_.output_dir + "/" + file.name.text();
    const UniqueFd claim = claim_trace_file(path);
    if (!claim) continue;
    std::string why;
    const PackResult result = pack_trace_file(path, claim, stop_, &why);
    if (result == PackResult::kFailed) log_once(why);
    if (result == PackResult::kDone) log_.detail("packed " + path);
    return result == PackResult::kDone;
  }
  return false;
}

void FileKeeper::log_once(const std::string& what) {
  if (logged_.insert(what).second) log_.error(what);
}

}  // namespace ringside::consumer

#include "consumerd/files/file_keeper.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "consumerd/files/emptied_file.hpp"
#include "consumerd/files/file_packer.hpp"
#include "consumerd/files/low_priority.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::consumer {
namespace {

// The longest time until a file closed by another process is found.
constexpr auto kRetentionCheckInterval = std::chrono::seconds(30);

// Of one service.
constexpr std::size_t kMostEmptiedFiles = 1000;

std::uint64_t bytes_of(const std::vector<ClosedFile>& files) {
  std::uint64_t bytes = 0;
  for (const ClosedFile& file : files) bytes += file.bytes;
  return bytes;
}

std::size_t count_with_records(const std::vector<ClosedFile>& files) {
  return static_cast<std::size_t>(
      std::count_if(files.begin(), files.end(), [](const ClosedFile& f) { return !f.emptied; }));
}

}  // namespace

FileKeeper::FileKeeper(const Options& options, const Log& log)
    : options_(options),
      log_(log),
      keep_(options.keep),
      shipped_(options.output_dir, [this](const std::string& what) { log_once(what); }) {
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
  std::set<std::string> stems;
  for (const auto& [service, files] : services) {
    for (const ClosedFile& file : files) stems.insert(file.name.stem);
  }
  shipped_.look_again(stems);
  bool packed = false;
  for (auto& [service, files] : services) {
    remove_surplus(&files);
    packed = (keep_.pack && pack_one(files)) || packed;
  }
  return packed;
}

// `files` keeps the files that remain.
void FileKeeper::remove_surplus(std::vector<ClosedFile>* files) {
  finish_emptied(files);
  remove_shipped(files);
  if (keep_.unshipped_bytes != 0) remove_unshipped(files);
}

bool FileKeeper::is_over(std::size_t files, std::uint64_t bytes) const {
  return (keep_.files != 0 && files > keep_.files) || (keep_.bytes != 0 && bytes > keep_.bytes);
}

// The oldest files first. With KeepPolicy::unshipped_bytes, those that are not shipped are passed
// over.
void FileKeeper::remove_shipped(std::vector<ClosedFile>* files) {
  const bool waits = keep_.unshipped_bytes != 0;
  std::uint64_t bytes = bytes_of(*files);
  std::size_t count = count_with_records(*files);
  std::vector<ClosedFile> left;
  bool fails = false;
  for (ClosedFile& file : *files) {
    const bool is_surplus = !fails && (is_over(count, bytes) || (waits && file.emptied));
    if (!is_surplus || (waits && !shipped_.has(file))) {
      left.push_back(std::move(file));
    } else if (remove(file)) {
      bytes -= file.bytes;
      count -= file.emptied ? 0 : 1;
    } else {
      fails = !waits;
      left.push_back(std::move(file));
    }
  }
  *files = std::move(left);
}

// What remains over the limits is not shipped. Emptied files stay in place of those with records,
// unless they are many.
void FileKeeper::remove_unshipped(std::vector<ClosedFile>* files) {
  std::uint64_t bytes = bytes_of(*files);
  for (ClosedFile& file : *files) {
    if (bytes <= keep_.unshipped_bytes || !is_over(count_with_records(*files), bytes)) break;
    if (file.emptied) continue;
    const std::uint64_t before = file.bytes;
    const Emptying result = empty(&file);
    if (result == Emptying::kNotNow) break;
    if (result == Emptying::kFailed) continue;
    bytes -= before - std::min(before, file.bytes);
  }
  std::erase_if(*files, [](const ClosedFile& file) { return !file.plain && !file.packed; });
  const std::size_t emptied = files->size() - count_with_records(*files);
  std::size_t surplus = emptied - std::min(emptied, kMostEmptiedFiles);
  std::erase_if(*files, [&](const ClosedFile& file) {
    if (surplus == 0 || !file.emptied || !remove(file)) return false;
    --surplus;
    return true;
  });
}

// Counts the loss. Where a file that states it cannot be written because the disk is full, there is
// none.
FileKeeper::Emptying FileKeeper::empty(ClosedFile* file) {
  const std::string path = options_.output_dir + "/" + file->name.text();
  UniqueFd claim;
  if (file->plain) {
    claim = claim_trace_file(path);
    if (!claim) return Emptying::kNotNow;
  }
  std::uint64_t records = 0;
  std::string why;
  const Emptied emptied = empty_trace_file(options_.output_dir, *file, &records, &why);
  if (emptied == Emptied::kFailed) {
    log_once(why +
             "; the file stays and can exceed keep-unshipped-bytes; make it readable, and the "
             "output directory writable, for this user");
    return Emptying::kFailed;
  }
  if (emptied == Emptied::kNoSpace) {
    log_once(why + "; removing the whole file");
    claim = {};
    if (!remove(*file)) return Emptying::kFailed;
    file->plain = file->packed = false;
    file->bytes = 0;
  } else if (!finish_emptying(options_.output_dir, file, &why)) {
    log_once(why);
  }
  file->emptied = true;
  log_.error(path + ": " + std::to_string(records) +
             " records were removed before they were shipped: the closed files of the service "
             "exceed keep-unshipped-bytes; check that ringship runs and reaches its server");
  unshipped_files_.fetch_add(1, std::memory_order_relaxed);
  unshipped_records_.fetch_add(records, std::memory_order_relaxed);
  return Emptying::kDone;
}

// What a process that died has left.
void FileKeeper::finish_emptied(std::vector<ClosedFile>* files) {
  for (ClosedFile& file : *files) {
    if (!file.emptied || !file.packed) continue;
    const UniqueFd claim = claim_trace_file(options_.output_dir + "/" + file.name.text());
    std::string why;
    if (claim && !finish_emptying(options_.output_dir, &file, &why)) log_once(why);
  }
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
    if (!file.plain || file.emptied) continue;
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

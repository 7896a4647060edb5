#include "trace-format/reader/open_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <sys/resource.h>

#include "trace-format/reader/trace_paths.hpp"

namespace ringside::trace {
namespace {

std::unique_ptr<TraceFile> open_packed_or_not(const std::string& path, ReadError* error,
                                              ReadReport* report) {
  auto file = TraceFile::open(path, error, report);
  return file ? std::move(file) : TraceFile::open(packed_name(path), nullptr, report);
}

}  // namespace

class OpenFiles::Member final : public TraceFile {
 public:
  Member(OpenFiles& all, std::unique_ptr<TraceFile> file)
      : TraceFile(file->path(), file->size()), all_(all) {
    TraceFile::report_to(&all.report_);
    take(std::move(file));
  }
  ~Member() override {
    if (file_) close();
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) override {
    if (!file_) {
      open_again();
    } else if (all_.open_.back() != this) {
      all_.open_.splice(all_.open_.end(), all_.open_, place_);
    }
    return file_ ? file_->read(offset, bytes) : 0;
  }

  void look_again() override {
    if (file_) {
      file_->look_again();
      return set_size(file_->size());
    }
    // Only a plain file grows: opening it is not necessary.
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(path(), code);
    if (!code) set_size(size);
  }

  void report_to(ReadReport* report) override {
    TraceFile::report_to(report);
    if (file_) file_->report_to(report);
  }

  void close() {
    file_.reset();
    all_.open_.erase(place_);
  }

 private:
  void take(std::unique_ptr<TraceFile> file) {
    file_ = std::move(file);
    place_ = all_.open_.insert(all_.open_.end(), this);
  }

  void open_again() {
    all_.close_down_to(all_.most_open_ - 1);
    ReadError error;
    auto file = open_packed_or_not(path(), &error, report());
    if (file) return take(std::move(file));
    error.remedy = "its remaining records are lost; check whether it was removed";
    if (report() != nullptr && !std::exchange(reported_, true)) report()->note(std::move(error));
  }

  OpenFiles& all_;
  std::unique_ptr<TraceFile> file_;  // null: closed
  std::list<Member*>::iterator place_;
  bool reported_ = false;  // that it cannot be opened again
};

std::size_t OpenFiles::most_open_here() {
  // The program needs descriptors for other purposes too.
  constexpr rlim_t kShare = 4;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMostOpen;
  return static_cast<std::size_t>(std::clamp<rlim_t>(limit.rlim_cur / kShare, 1, kMostOpen));
}

OpenFiles::OpenFiles(ReadReport& report, std::size_t most_open)
    : report_(report), most_open_(std::max<std::size_t>(most_open, 1)) {}

OpenFiles::~OpenFiles() = default;

std::unique_ptr<TraceFile> OpenFiles::open(const std::string& path, ReadError* error) {
  close_down_to(most_open_ - 1);
  auto file = open_packed_or_not(path, error, &report_);
  return file ? std::make_unique<Member>(*this, std::move(file)) : nullptr;
}

void OpenFiles::close_down_to(std::size_t count) {
  while (open_.size() > count) open_.front()->close();
}

}  // namespace ringside::trace

#include "tools/scheduling/schedule_trace.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "shm-layout/record_head.hpp"
#include "tools/files/output_file.hpp"
#include "tools/files/owned_fd.hpp"

namespace ringside::tool {
namespace {

SiteDefinition run_site() {
  SiteDefinition site;
  site.kind = shm::SiteKind::kSpan;
  site.level = shm::Level::kDebug;
  site.name = "thread ran";
  site.category = "ringside.sched";
  site.format = site.name;
  site.fields.push_back({.name = "on_processor", .type = shm::FieldType::u32});
  site.fields.push_back({.name = "then",
                         .type = shm::FieldType::enumeration,
                         .enum_names = {{static_cast<int>(RunEnd::kUnknown), "unknown"},
                                        {static_cast<int>(RunEnd::kWaited), "waited"},
                                        {static_cast<int>(RunEnd::kPreempted), "preempted"},
                                        {static_cast<int>(RunEnd::kEnded), "ended"}}});
  return site;
}

bool append_file(const std::string& path, OutputFile& out, std::string* why) {
  const OwnedFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::byte> bytes(std::size_t{1} << 20);
  ssize_t count = -1;
  while (file && (count = read(file.get(), bytes.data(), bytes.size())) > 0) {
    if (!out.write(std::span(bytes).first(static_cast<std::size_t>(count)))) return true;
  }
  if (count == 0) return true;
  *why = fmt::format("cannot read what was recorded ({}): {}", path,
                     std::generic_category().message(errno));
  return false;
}

void give_to_owner_of_directory(const std::string& path) {
  struct stat directory {};
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (geteuid() != 0 || stat(parent.empty() ? "." : parent.c_str(), &directory) != 0) return;
  // The directory's owner could have put a link there.
  if (lchown(path.c_str(), directory.st_uid, directory.st_gid) != 0) return;
}

}  // namespace

ScheduleTrace::ScheduleTrace(const ProcessDefinition& process)
    : process_(builder_.add_process(process)), site_(builder_.add_site(run_site())) {}

std::uint32_t ScheduleTrace::stream_of(std::uint32_t thread_id, std::uint32_t id) {
  const auto found = streams_.find(thread_id);
  if (found != streams_.end()) return found->second;
  if (!builder_.has_room_for_stream()) return streams_.rbegin()->second;
  const std::uint32_t stream = builder_.add_stream(process_, {.thread_id = id, .thread_name = {}});
  streams_.emplace(thread_id, stream);
  return stream;
}

void ScheduleTrace::name_thread(std::uint32_t thread_id, std::uint32_t id,
                                const std::string& name) {
  builder_.name_thread(stream_of(thread_id, id), name);
}

void ScheduleTrace::add(const ThreadRun& run) {
  trace::RecordExtension extension;
  extension.ext_flags = shm::kExtDuration;
  extension.duration = run.end_unix_ns - run.begin_unix_ns;
  builder_.begin(stream_of(run.thread_id, run.thread_id), site_, run.begin_unix_ns, extension);
  builder_.put(run.processor);
  builder_.put(static_cast<std::int64_t>(run.end));
  builder_.end();
  ++runs_;
}

void ScheduleTrace::lost(std::uint32_t thread_id, std::uint64_t unix_ns, std::uint64_t switches) {
  builder_.lost(stream_of(thread_id, thread_id), unix_ns, switches, shm::LossCause::kRingFull);
  lost_ += switches;
}

bool ScheduleTrace::write(const std::string& path, std::string* why) {
  if (parts_.empty()) parts_ = builder_.finish(why);
  if (parts_.empty()) return false;
  const auto file = OutputFile::create(path, {}, why);
  if (file == nullptr) return false;
  for (const std::string& part : parts_) {
    if (!append_file(part, *file, why)) return false;
  }
  if (!file->commit(why)) return false;
  give_to_owner_of_directory(path);
  return true;
}

}  // namespace ringside::tool

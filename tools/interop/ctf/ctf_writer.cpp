#include "tools/interop/ctf/ctf_writer.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <map>
#include <set>
#include <system_error>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "tools/files/output_file.hpp"
#include "tools/interop/ctf/ctf_event_class.hpp"
#include "tools/interop/ctf/ctf_names.hpp"
#include "tools/interop/ctf/ctf_packet_writer.hpp"

namespace ringside::tool {
namespace ctf {
namespace {

// The limit for all threads; at this size every packet is written, even a small one.
constexpr std::size_t kMostPendingBytes = std::size_t{32} << 20;
constexpr std::uint64_t kLastTime = std::numeric_limits<std::int64_t>::max();

struct Key {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    return std::hash<std::uint64_t>()(key.a * 0x9E3779B97F4A7C15U ^ key.b);
  }
};

struct Thread {
  PacketWriter packets;
  std::string context;  // of its events
  std::uint32_t section = 0;
  std::uint32_t revision = 0;
};

class Writer final : public TraceWriter {
 public:
  Writer(std::string path, int fd, ConversionReport& report)
      : path_(std::move(path)), fd_(fd), report_(report) {}
  ~Writer() override { ::close(fd_); }

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss || !failure_.empty()) return;
    Thread& thread = thread_of(event);
    if (event.kind == trace::EventKind::kLoss) return add_loss(thread, event);
    const std::uint64_t time = time_of(thread, event.unix_ns);
    const trace::Record& record = event.record;
    const std::uint32_t id = event_class(event);
    std::uint64_t duration_ns = record.duration;
    if (event.segment->tick_hz != 0 && (record.ext_flags & shm::kExtDuration) != 0) {
      duration_ns = static_cast<std::uint64_t>(trace::UInt128{duration_ns} * 1'000'000'000 /
                                               event.segment->tick_hz);
    }
    // A packet is of one processor, as readers expect it.
    const std::uint32_t processor =
        record.processor == 0 ? kUnknownProcessor : record.processor - 1;
    if (processor != thread.packets.processor()) [[unlikely]] {
      pending_ -= thread.packets.pending();
      written(thread.packets.close());
      thread.packets.run_on(processor);
    }
    const std::size_t before = thread.packets.pending();
    std::string& packet = thread.packets.begin_event(time);
    packet.append(reinterpret_cast<const char*>(&id), sizeof id);
    packet.append(reinterpret_cast<const char*>(&time), sizeof time);
    packet += thread.context;
    append_payload(*record.site, record, duration_ns, packet, report_);
    pending_ += packet.size() - before;
    if (thread.packets.full() || pending_ >= kMostPendingBytes) [[unlikely]]
      make_room(thread);
  }

  void end() override {
    for (auto& [key, thread] : threads_) written(thread.packets.close());
    if (failure_.empty()) write_metadata();
    if (!failure_.empty()) remove_what_was_made();
  }

  const std::string& failure() const override { return failure_; }

 private:
  void written(bool success) {
    if (!success && failure_.empty()) {
      failure_ = path_ + ": cannot be written: " + std::generic_category().message(errno);
    }
  }

  // Removes only what this writer made: the directory only if this writer made it and it is
  // otherwise empty.
  void remove_what_was_made() const {
    for (std::size_t stream = 0; stream < threads_.size(); ++stream) {
      ::unlinkat(fd_, stream_file_name(stream).c_str(), 0);
    }
    struct stat made {};
    struct stat named {};
    if (::fstat(fd_, &made) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
        made.st_dev == named.st_dev && made.st_ino == named.st_ino) {
      ::rmdir(path_.c_str());
    }
  }

  void make_room(Thread& full) {
    if (pending_ < kMostPendingBytes) {
      pending_ -= full.packets.pending();
      return written(full.packets.close());
    }
    for (auto& [key, thread] : threads_) written(thread.packets.close());
    pending_ = 0;
  }

  // Times rise within a thread, because readers of CTF require it.
  std::uint64_t time_of(Thread& thread, std::uint64_t unix_ns) {
    if (unix_ns > kLastTime) {
      report_.lost("times after the year 2262 became the last nanosecond of 63 bits");
      unix_ns = kLastTime;
    }
    if (unix_ns >= thread.packets.last_ns()) return unix_ns;
    report_.lost(
        "late records got the time of the record before: times in a CTF stream never decrease");
    return thread.packets.last_ns();
  }

  void add_loss(Thread& thread, const trace::Event& loss) {
    if (loss.cause == shm::LossCause::kTooLarge || loss.cause == shm::LossCause::kLate) {
      return report_.lost(
          "counts of truncated or late records are left out: CTF only counts lost ones");
    }
    pending_ -= thread.packets.pending();
    const std::uint64_t until = std::min(loss.unix_ns, kLastTime);
    const std::uint64_t since = loss.since_ns == 0 ? until : std::min(loss.since_ns, until);
    written(thread.packets.lose(since, until, loss.lost, loss.cause));
  }

  std::uint32_t process_of(const trace::Event& event) {
    const auto known = sections_.find(event.section);
    if (known != sections_.end()) return known->second;
    const trace::SegmentInfo& segment = *event.segment;
    const auto [process, is_new] =
        processes_.try_emplace(segment.uuid, static_cast<std::uint32_t>(processes_.size()));
    if (is_new) {
      nlohmann::ordered_json facts;
      facts["pid"] = segment.pid;
      facts["uid"] = segment.uid;
      facts["start_unix_ns"] = segment.start_realtime_ns;
      facts["service"] = segment.service;
      facts["executable"] = segment.executable;
      facts["host"] = segment.host;
      if (process_facts_.empty()) uuid_ = segment.uuid;
      process_facts_.push_back(
          facts.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
      if (!segment.host.empty()) hosts_.insert(segment.host);
    }
    sections_.emplace(event.section, process->second);
    return process->second;
  }

  Thread& thread_of(const trace::Event& event) {
    const std::uint64_t stream = event.stream == nullptr ? 0 : event.stream->id;
    if (last_thread_ != nullptr && last_section_ == event.section && last_stream_ == stream &&
        (event.stream == nullptr || event.stream->revision == last_thread_->revision)) [[likely]] {
      return *last_thread_;
    }
    const std::uint32_t process = process_of(event);
    auto found = threads_.find({process, stream});
    if (found == threads_.end()) {
      const PacketWriter::Identity identity{uuid_, threads_.size(), process};
      found = threads_.emplace(Key{process, stream}, Thread{PacketWriter(fd_, identity), {}, 0, 0})
                  .first;
    }
    Thread& thread = found->second;
    if (event.stream != nullptr && (thread.context.empty() || thread.section != event.section ||
                                    thread.revision != event.stream->revision)) {
      thread.section = event.section;
      thread.revision = event.stream->revision;
      thread.context.assign(reinterpret_cast<const char*>(&event.segment->pid), 4);
      thread.context.append(reinterpret_cast<const char*>(&event.stream->thread_id), 4);
      append_text(event.stream->thread_name, thread.context, report_);
      thread.packets.name_thread(event.stream->thread_id, event.stream->thread_name);
    }
    last_thread_ = &thread;
    last_section_ = event.section;
    last_stream_ = stream;
    return thread;
  }

  std::uint32_t event_class(const trace::Event& event) {
    const trace::Site& site = *event.record.site;
    const Key key{std::uint64_t{event.section} << 32 | site.id, event.record.ext_flags};
    const auto known = classes_.find(key);
    if (known != classes_.end()) [[likely]]
      return known->second;
    EventDeclaration declaration = declare_event(site, event.record.ext_flags);
    const auto [place, is_new] = declarations_.try_emplace(
        std::pair(std::move(declaration.body), std::move(declaration.facts)),
        static_cast<std::uint32_t>(declarations_.size()));
    if (is_new) in_order_.push_back(&place->first);
    classes_.emplace(key, place->second);
    return place->second;
  }

  std::string metadata() const {
    std::string uuid;
    for (std::size_t i = 0; i < uuid_.size(); ++i) {
      uuid += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid_[i]);
    }
    std::string text = "/* CTF 1.8 */\n\n";
    text += kTypeAliases;
    text += fmt::format(
        "\nclock {{\n  name = \"unix_ns\";\n  description = \"Unix time\";\n  freq = 1000000000;\n"
        "  offset_s = 0;\n  offset = 0;\n  absolute = true;\n}};\n\n"
        "typealias integer {{ size = 64; align = 8; signed = false; map = clock.unix_ns.value; }} "
        ":= unix_ns_t;\n\n"
        "trace {{\n  major = 1;\n  minor = 8;\n  uuid = \"{}\";\n  byte_order = le;\n{}",
        uuid, kPacketLayout);
    text +=
        "  event.header := struct {\n    uint32_t id;\n    unix_ns_t timestamp;\n  };\n"
        "  event.context := struct {\n    uint32_t _vpid;\n    uint32_t _vtid;\n    string "
        "_procname;\n  };\n};\n\n";
    text += fmt::format("env {{\n  tracer_name = \"{}\";\n", kTracerName);
    if (hosts_.size() == 1) text += fmt::format("  hostname = {};\n", quoted_tsdl(*hosts_.begin()));
    for (std::size_t i = 0; i < process_facts_.size(); ++i) {
      text += fmt::format("  {}{} = {};\n", kProcessEntry, i, quoted_tsdl(process_facts_[i]));
    }
    for (std::size_t i = 0; i < in_order_.size(); ++i) {
      text += fmt::format("  {}{} = {};\n", kEventEntry, i, quoted_tsdl(in_order_[i]->second));
    }
    text += "};\n";
    for (std::size_t i = 0; i < in_order_.size(); ++i) {
      text += fmt::format("\nevent {{\n  id = {};\n{}}};\n", i, in_order_[i]->first);
    }
    return text;
  }

  void write_metadata() {
    std::string error;
    const auto file = OutputFile::create(path_ + "/metadata", {false, 0640}, &error);
    if (file != nullptr) {
      const std::string text = metadata();
      file->write(std::as_bytes(std::span(text)));
    }
    if (file == nullptr || !file->commit(&error)) failure_ = error;
  }

  using Declaration = std::pair<std::string, std::string>;  // body, facts

  std::string path_;
  int fd_;  // of the directory
  ConversionReport& report_;
  std::string failure_;
  std::array<std::uint8_t, 16> uuid_{};
  std::unordered_map<std::uint32_t, std::uint32_t> sections_;  // to processes
  std::map<std::array<std::uint8_t, 16>, std::uint32_t> processes_;
  std::vector<std::string> process_facts_;
  std::set<std::string> hosts_;
  std::unordered_map<Key, Thread, KeyHash> threads_;
  std::unordered_map<Key, std::uint32_t, KeyHash> classes_;
  std::map<Declaration, std::uint32_t> declarations_;
  std::vector<const Declaration*> in_order_;
  std::size_t pending_ = 0;  // bytes of open packets
  Thread* last_thread_ = nullptr;
  std::uint32_t last_section_ = 0;
  std::uint64_t last_stream_ = 0;
};

}  // namespace
}  // namespace ctf

std::unique_ptr<TraceWriter> write_ctf(const std::string& path, ConversionReport& report,
                                       std::string* error) {
  const bool made = ::mkdir(path.c_str(), 0750) == 0;
  const int fd = made ? ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
  if (fd < 0) {
    const int why = errno;
    if (made) ::rmdir(path.c_str());
    *error = path + ": cannot create the directory: " + std::generic_category().message(why) +
             (why == EEXIST ? "; name another with -o" : "; check the path and its permissions");
    return nullptr;
  }
  return std::make_unique<ctf::Writer>(path, fd, report);
}

}  // namespace ringside::tool

#pragma once
// Finds the process and thread of each event, from contexts and `env`.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/interop/ctf/ctf_columns.hpp"
#include "tools/interop/ctf/ctf_trace.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::ctf {

// How many processes and threads the builder still accepts.
struct BuilderRoom {
  std::uint32_t processes = TraceBuilder::kMostProcesses;
  std::uint32_t streams = TraceBuilder::kMostStreams;
};

// Contexts that name a thread (vpid, vtid, procname; those of the kernel pid, tid) choose its
// stream. Otherwise each stream of the trace becomes one, named for its file.
class Identities {
 public:
  Identities(Trace& trace, TraceBuilder& builder, BuilderRoom& room, ConversionReport& report);

  // Whether --to ctf wrote the trace.
  bool is_ours() const { return is_ours_; }

  // The number of columns of the stream's contexts; other columns follow them.
  std::uint32_t columns_of_stream(StreamReader& stream) { return contexts_of(stream).columns_end; }
  // Contexts that do not identify a process or thread.
  const std::vector<Column>& context_columns(StreamReader& stream) {
    return contexts_of(stream).others;
  }

  // Called before and after the head of a packet is decoded.
  void prepare(StreamReader& stream, Decoder& decoder);
  void begin_packet(StreamReader& stream, const Packet& packet, Decoder& decoder);
  // Called after the contexts of an event are decoded.
  std::uint32_t stream_of_event(const Decoder& decoder);
  // A trace without events belongs to a process, too.
  void end() {
    if (processes_.empty()) own_process();
  }
  // The stream for losses.
  std::uint32_t stream_of_packet() { return thread_of_packet().stream; }
  shm::LossCause cause_of_packet() const { return cause_; }
  // The code of the processor, shm::processor_code(), in a trace of --to ctf. In others it is a
  // field.
  std::uint32_t processor_of_packet() const { return processor_; }

 private:
  struct Contexts {
    std::uint32_t pid = kNone;  // slots
    std::uint32_t tid = kNone;
    std::uint32_t name = kNone;  // columns
    std::uint32_t packet_name = kNone;
    std::uint32_t packet_processor = kNone;
    std::vector<Column> others;
    std::uint32_t columns_end = 0;
  };
  struct Thread {
    std::uint32_t stream = 0;
    const char* misplacement = nullptr;  // for the report: why it has no stream of its own process
    std::string name;
  };
  using Key = std::pair<std::uint32_t, std::uint64_t>;

  Contexts& contexts_of(StreamReader& stream);
  std::uint32_t process_of(std::uint32_t pid);
  std::uint32_t process_of_ours(std::uint32_t number);
  std::uint32_t add_process(const ProcessDefinition& process);
  std::uint32_t own_process();
  Thread& thread_of(std::uint32_t process, std::uint64_t key, std::uint32_t tid,
                    std::string_view name);
  Thread& thread_of_packet();
  std::uint32_t take(const Thread& thread);

  Trace& trace_;
  TraceBuilder& builder_;
  BuilderRoom& room_;
  ConversionReport& report_;
  bool is_ours_ = false;
  std::map<const StreamReader*, Contexts> contexts_;
  std::map<std::uint64_t, std::uint32_t> processes_;
  std::map<Key, Thread> threads_;

  const Contexts* here_ = nullptr;  // of the packet
  const Packet* packet_ = nullptr;
  shm::LossCause cause_ = shm::LossCause::kUnknown;
  std::uint32_t processor_ = 0;
  std::uint32_t others_ = kNone;  // the process of others, once there is one
  std::uint32_t own_process_ = kNone;
  std::uint32_t own_thread_ = kNone;
  std::string own_name_;
  Thread* own_ = nullptr;  // the result of thread_of_packet()
  Thread* last_ = nullptr;
  std::uint64_t last_pid_ = 0;
  std::uint64_t last_tid_ = 0;
};

}  // namespace ringside::tool::ctf

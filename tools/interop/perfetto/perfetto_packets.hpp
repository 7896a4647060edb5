#pragma once
// Writes packets of a Perfetto trace: clocks, tracks and events of one sequence.

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/interop/event_sources.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool::perfetto {

// Not thread-safe.
class Packets {
 public:
  Packets(OutputBytes& output, UncarriedFacts& uncarried)
      : output_(output), uncarried_(uncarried) {}

  // Called first: declares that times are Unix time.
  void put_clocks(std::uint64_t unix_ns);

  // Makes readers forget all strings numbered until now.
  void clear_state();

  // `event`: a TrackEvent; `interned`: an InternedData message or empty.
  void put_event(std::uint64_t unix_ns, std::string_view event, std::string_view interned);

  // Writes the process and returns its track. Processes come in the order of their indexes.
  void put_process(const SourceProcess& process);
  // `track`: the existing track, or 0. Without a thread it is the track of the process.
  std::uint64_t put_thread(const SourceThread& thread, std::uint64_t track);
  std::uint64_t put_task(const SourceThread& task);
  std::uint64_t put_child_track(std::uint64_t parent, std::string_view name, bool is_counter);

 private:
  void put_track(const trace::TextSink& track);
  void finish(std::uint64_t flags);

  OutputBytes& output_;
  UncarriedFacts& uncarried_;
  std::vector<std::uint64_t> processes_;  // their tracks
  std::uint64_t next_track_ = 1;
  trace::TextSink length_;
  trace::TextSink packet_;
};

}  // namespace ringside::tool::perfetto

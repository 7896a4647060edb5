#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/event_sources.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "tools/interop/viewers/profile_writers.hpp"
#include "tools/interop/viewers/spooled_lanes.hpp"
#include "tools/json_text.hpp"

namespace ringside::tool {
namespace speedscope {
namespace {

struct Profile {
  std::size_t spool = 0;
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
};

struct Thread {
  const SourceThread* source = nullptr;
  SpanLanes<std::uint32_t> spans;  // frames
  std::vector<Profile> profiles;   // by lane
};

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report)
      : output_(output),
        uncarried_(report, {Fact::kPoints, Fact::kLevel, Fact::kKeywords, Fact::kCategory,
                            Fact::kSequence, Fact::kFields, Fact::kSubstream, Fact::kActivity,
                            Fact::kRelated, Fact::kStack, Fact::kCut, Fact::kLosses}),
        sources_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    uncarried_.look(event);
    if (event.kind != trace::EventKind::kRecord || !has_duration(event)) return;
    if (!begun_) base_ = event.unix_ns;
    begun_ = true;
    const SourceThread& source = sources_.of(event).thread;
    if (source.index >= threads_.size()) threads_.resize(source.index + std::size_t{1});
    Thread& thread = threads_[source.index];
    thread.source = &source;
    close(thread, event.unix_ns);
    if (sites_.is_full()) sites_.clear();
    const std::uint32_t frame =
        sites_.of(event, [this](const trace::Site& site) { return frame_of(site); });
    const auto place = thread.spans.place_of(event.unix_ns + duration_ns(event));
    if (place.was_cut) uncarried_.count(Fact::kOverlap);
    thread.spans.open(place, frame);
    put('O', frame, profile_of(thread, place.lane), event.unix_ns);
  }

  void end() override {
    for (Thread& thread : threads_) close(thread, UINT64_MAX);
    output_.put(
        fmt::format("{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                    "\"exporter\":\"ringside\",\"name\":\"from {} ns of Unix time\","
                    "\"activeProfileIndex\":0,\n\"shared\":{{\"frames\":[",
                    base_));
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      output_.put(i == 0 ? "\n" : ",\n");
      output_.put(frames_[i]);
    }
    output_.put("\n]},\n\"profiles\":[");
    for (const Thread& thread : threads_) {
      for (std::size_t lane = 0; lane < thread.profiles.size(); ++lane) put_profile(thread, lane);
    }
    output_.put("\n]}\n");
    uncarried_.tell();
  }

 private:
  Profile& profile_of(Thread& thread, std::size_t lane) {
    while (thread.profiles.size() <= lane) thread.profiles.push_back({spools_++});
    return thread.profiles[lane];
  }

  void close(Thread& thread, std::uint64_t unix_ns) {
    thread.spans.close(unix_ns, [&](std::size_t lane, const auto& span) {
      put('C', span.what, thread.profiles[lane], span.end);
    });
  }

  // Times of one profile must not go back, as those of late records do.
  void put(char type, std::uint32_t frame, Profile& profile, std::uint64_t unix_ns) {
    const std::uint64_t at = std::max(profile.last, unix_ns < base_ ? 0 : unix_ns - base_);
    const bool is_first = profile.first == UINT64_MAX;
    profile.first = std::min(profile.first, at);
    profile.last = at;
    text_.clear();
    fmt::format_to(std::back_inserter(text_), "{}{{\"type\":\"{}\",\"frame\":{},\"at\":{}}}",
                   is_first ? "\n" : ",\n", type, frame, at);
    spool_.put(profile.spool, text_);
  }

  void put_profile(const Thread& thread, std::size_t lane) {
    const Profile& profile = thread.profiles[lane];
    std::string name = thread.source->process->segment.service + ' ' + thread.source->name;
    fmt::format_to(std::back_inserter(name), " ({}/{})", thread.source->process->pid,
                   thread.source->id);
    if (lane != 0) name += " overlapping " + std::to_string(lane + 1);
    output_.put(fmt::format(
        "{}{{\"type\":\"evented\",\"name\":{},\"unit\":\"nanoseconds\","
        "\"startValue\":{},\"endValue\":{},\"events\":[",
        is_first_profile_ ? "\n" : ",\n", quoted_json_text(name), profile.first, profile.last));
    is_first_profile_ = false;
    spool_.move_to(profile.spool, output_);
    output_.put("\n]}");
  }

  std::uint32_t frame_of(const trace::Site& site) {
    std::string text = "{\"name\":" + quoted_json_text(event_name(site));
    if (!site.file.empty()) {
      text += fmt::format(",\"file\":{},\"line\":{}", quoted_json_text(site.file), site.line);
    }
    text += '}';
    const auto [place, is_new] =
        numbers_.try_emplace(text, static_cast<std::uint32_t>(frames_.size()));
    if (is_new) frames_.push_back(text);
    return place->second;
  }

  OutputBytes& output_;
  UncarriedFacts uncarried_;
  EventSources sources_;
  PerSite<std::uint32_t> sites_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> frames_;
  std::deque<Thread> threads_;  // by index
  SpooledLanes spool_;
  std::size_t spools_ = 0;
  std::uint64_t base_ = 0;
  bool begun_ = false;
  bool is_first_profile_ = true;
  std::string text_;
};

}  // namespace
}  // namespace speedscope

std::unique_ptr<TraceWriter> write_speedscope(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<speedscope::Writer>(output, report);
}

}  // namespace ringside::tool

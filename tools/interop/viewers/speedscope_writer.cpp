#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/event_sources.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "tools/interop/viewers/profile_writers.hpp"
#include "tools/interop/viewers/sampled_stacks.hpp"
#include "tools/interop/viewers/spooled_lanes.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool {
namespace speedscope {
namespace {

struct Profile {
  std::size_t spool = 0;
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
};

// A profile of stacks that all have the same weight.
struct SampleProfile {
  std::size_t spool = 0;
  std::uint64_t samples = 0;
};

struct Thread {
  const SourceThread* source = nullptr;
  SpanLanes<std::uint32_t> spans;  // frames
  std::vector<Profile> profiles;   // by lane
  SampleProfile samples;           // of a profiler
  SampleProfile stacks;            // of other events
};

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report)
      : output_(output),
        report_(report),
        uncarried_(report,
                   {Fact::kPoints, Fact::kLevel, Fact::kKeywords, Fact::kCategory, Fact::kSequence,
                    Fact::kFields, Fact::kSubstream, Fact::kActivity, Fact::kRelated, Fact::kStack,
                    Fact::kProcessor, Fact::kCut, Fact::kLosses}),
        sources_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    uncarried_.look(event);
    if (event.kind != trace::EventKind::kRecord) return;
    if (!has_duration(event)) return add_stack(event);
    if (!begun_) base_ = event.unix_ns;
    begun_ = true;
    std::uint64_t substream = 0;
    Thread& thread = thread_of(event, &substream);
    close(thread, event.unix_ns);
    if (sites_.is_full()) sites_.clear();
    const std::uint32_t frame =
        sites_.of(event, [this](const trace::Site& site) { return frame_of(site); });
    const auto place = thread.spans.place_of(event.unix_ns + duration_ns(event), substream);
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
      put_samples(thread);
    }
    output_.put("\n]}\n");
    if (others_ != 0 && has_samples_) report_.lost(kOtherStacks, others_);
    if (is_first_profile_) report_.note(kNothingDrawn);
    uncarried_.tell();
  }

  void use(const std::shared_ptr<const MethodsByProcess>& methods) override {
    sampled_.use(methods);
  }

 private:
  // The thread of the event, or its task.
  Thread& thread_of(const trace::Event& event, std::uint64_t* substream = nullptr) {
    const EventSources::Track track = sources_.track_of(event, sources_.of(event).thread);
    if (substream != nullptr) *substream = track.substream;
    const SourceThread& source = track.source;
    if (source.index >= threads_.size()) threads_.resize(source.index + std::size_t{1});
    Thread& thread = threads_[source.index];
    thread.source = &source;
    return thread;
  }

  void add_stack(const trace::Event& event) {
    SampledStacks::Stack stack;
    if (!sampled_.find(event, stack)) return;
    Thread& thread = thread_of(event);
    SampleProfile& profile = stack.is_sample ? thread.samples : thread.stacks;
    if (profile.samples++ == 0) profile.spool = spools_++;
    has_samples_ |= stack.is_sample;
    others_ += stack.is_sample ? 0 : 1;
    text_ = profile.samples == 1 ? "\n[" : ",\n[";
    for (const std::uint32_t number : sampled_.frames(event, stack)) {
      while (method_frames_.size() <= number) {
        const auto next = static_cast<std::uint32_t>(method_frames_.size());
        method_frames_.push_back(
            add_frame("{\"name\":" + trace::quoted_json_text(sampled_.name(next)) + '}'));
      }
      if (text_.back() != '[') text_ += ',';
      text_ += std::to_string(method_frames_[number]);
    }
    text_ += ']';
    spool_.put(profile.spool, text_);
  }

  // Each sample counts as one: the time between two has no meaning if a filter left some out.
  void put_samples(const Thread& thread) {
    const SampleProfile& profile = has_samples_ ? thread.samples : thread.stacks;
    if (profile.samples == 0) return;
    uncarried_.carried(Fact::kPoints, profile.samples);
    begin_profile("sampled", name_of(thread) + " samples", "none");
    output_.put(fmt::format("\"startValue\":0,\"endValue\":{},\"samples\":[", profile.samples));
    spool_.move_to(profile.spool, output_);
    output_.put("\n],\"weights\":[1");
    for (std::uint64_t i = 1; i < profile.samples; ++i) output_.put(",1");
    output_.put("]}");
  }

  static std::string name_of(const Thread& thread) {
    if (thread.source->task != 0) {
      return fmt::format("{} {} ({})", thread.source->process->segment.service,
                         thread.source->task_name(), thread.source->process->pid);
    }
    return fmt::format("{} {} ({}/{})", thread.source->process->segment.service,
                       thread.source->name, thread.source->process->pid, thread.source->id);
  }

  void begin_profile(std::string_view type, std::string_view name, std::string_view unit) {
    output_.put(fmt::format("{}{{\"type\":\"{}\",\"name\":{},\"unit\":\"{}\",",
                            is_first_profile_ ? "\n" : ",\n", type, trace::quoted_json_text(name),
                            unit));
    is_first_profile_ = false;
  }

  Profile& profile_of(Thread& thread, std::size_t lane) {
    while (thread.profiles.size() <= lane) thread.profiles.push_back({spools_++});
    return thread.profiles[lane];
  }

  void close(Thread& thread, std::uint64_t unix_ns) {
    thread.spans.close(unix_ns, [&](std::size_t lane, const auto& span) {
      put('C', span.what, thread.profiles[lane], span.end);
    });
  }

  // Times of one profile must not go back, but times of late records do.
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
    if (profile.first == UINT64_MAX) return;
    std::string name = name_of(thread);
    if (lane != 0) name += ' ' + thread.spans.name_of(lane);
    begin_profile("evented", name, "nanoseconds");
    output_.put(
        fmt::format("\"startValue\":{},\"endValue\":{},\"events\":[", profile.first, profile.last));
    spool_.move_to(profile.spool, output_);
    output_.put("\n]}");
  }

  std::uint32_t frame_of(const trace::Site& site) {
    std::string text = "{\"name\":" + trace::quoted_json_text(event_name(site));
    if (!site.file.empty()) {
      text +=
          fmt::format(",\"file\":{},\"line\":{}", trace::quoted_json_text(site.file), site.line);
    }
    text += '}';
    return add_frame(text);
  }

  std::uint32_t add_frame(const std::string& text) {
    const auto [place, is_new] =
        numbers_.try_emplace(text, static_cast<std::uint32_t>(frames_.size()));
    if (is_new) frames_.push_back(text);
    return place->second;
  }

  OutputBytes& output_;
  ConversionReport& report_;
  UncarriedFacts uncarried_;
  EventSources sources_;
  PerSite<std::uint32_t> sites_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> frames_;
  SampledStacks sampled_;
  std::vector<std::uint32_t> method_frames_;  // of sampled_, as numbers of frames_
  bool has_samples_ = false;
  std::uint64_t others_ = 0;    // stacks that are not samples
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

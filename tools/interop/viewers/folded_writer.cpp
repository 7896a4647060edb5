#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/event_sources.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "tools/interop/valid_utf8.hpp"
#include "tools/interop/viewers/profile_writers.hpp"
#include "tools/interop/viewers/sampled_stacks.hpp"

namespace ringside::tool {
namespace folded {
namespace {

// A stack: its innermost frame, and the stack around it.
struct Node {
  const Node* parent = nullptr;
  std::string frame;
  std::int64_t self_ns = 0;
  std::uint64_t samples = 0;  // of a profiler
  std::uint64_t stacks = 0;   // of other events
  std::map<std::string, Node*> children;
};

struct Frame {
  std::string name;
  bool was_changed = false;
};

struct Thread {
  SpanLanes<Node*> spans;
  Node* node = nullptr;
  bool was_changed = false;  // its name or its service's
};

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

constexpr std::string_view kSpansBesideSamples =
    "spans are left out: weights cannot be counts of samples and nanoseconds at once; select the "
    "spans to draw them";

// If a name ends in a blank and a number, the position of the blank. Readers take such a number for
// the weight of a second profile for comparison.
std::size_t blank_before_number(std::string_view name) {
  std::size_t at = name.size();
  while (at != 0 && is_digit(name[at - 1])) --at;
  if (at != 0 && name[at - 1] == '.') {
    --at;
    while (at != 0 && is_digit(name[at - 1])) --at;
  }
  const bool is_number = at < name.size() && is_digit(name[at]);
  return is_number && at != 0 && name[at - 1] == ' ' ? at - 1 : std::string_view::npos;
}

// Semicolons separate frames, and a line end terminates the stack.
Frame frame_of(std::string_view name) {
  Frame frame{valid_utf8(name)};
  const auto change = [&frame](char& character) {
    character = '_';
    frame.was_changed = true;
  };
  for (char& character : frame.name) {
    if (character == ';' || static_cast<unsigned char>(character) < 0x20) change(character);
  }
  const std::size_t blank = blank_before_number(frame.name);
  if (blank != std::string_view::npos) change(frame.name[blank]);
  return frame;
}

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report)
      : output_(output),
        report_(report),
        uncarried_(report, {Fact::kPoints, Fact::kKind, Fact::kLevel, Fact::kKeywords,
                            Fact::kSource, Fact::kCategory, Fact::kSequence, Fact::kFields,
                            Fact::kSubstream, Fact::kActivity, Fact::kRelated, Fact::kStack,
                            Fact::kProcessor, Fact::kCut, Fact::kLosses}),
        sources_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    uncarried_.look(event);
    if (event.kind != trace::EventKind::kRecord) return;
    if (!has_duration(event)) return add_stack(event);
    ++spans_;
    std::uint64_t substream = 0;
    Thread& thread = thread_of(event, &substream);
    thread.spans.close(event.unix_ns, [](std::size_t, const auto&) {});
    if (sites_.is_full()) sites_.clear();
    const Frame& frame =
        sites_.of(event, [](const trace::Site& site) { return frame_of(event_name(site)); });
    if (frame.was_changed || thread.was_changed) uncarried_.count(Fact::kName);
    const auto place = thread.spans.place_of(event.unix_ns + duration_ns(event), substream);
    if (place.was_cut) uncarried_.count(Fact::kOverlap);
    const auto ns = static_cast<std::int64_t>(place.end - event.unix_ns);
    Node* around = thread.node;
    if (place.parent != nullptr) {
      around = place.parent->what;
      around->self_ns -= ns;
    }
    Node* const node = child_of(*around, frame.name);
    node->self_ns += ns;
    thread.spans.open(place, node);
  }

  void use(const std::shared_ptr<const MethodsByProcess>& methods) override {
    sampled_.use(methods);
  }

  void end() override {
    // One unit for all weights: samples, or else nanoseconds, or else stacks.
    const bool spans =
        !has_samples_ && std::any_of(nodes_.begin(), nodes_.end(),
                                     [](const Node& node) { return node.self_ns > 0; });
    std::uint64_t drawn = 0;
    std::uint64_t others = 0;
    for (const Node& node : nodes_) {
      const std::uint64_t weight = has_samples_ ? node.samples : spans ? 0 : node.stacks;
      drawn += weight;
      others += has_samples_ || spans ? node.stacks : 0;
      if (spans && node.self_ns > 0) put_line(node, std::to_string(node.self_ns));
      if (weight != 0) put_line(node, std::to_string(weight));
    }
    uncarried_.carried(Fact::kPoints, drawn);
    if (others != 0) report_.lost(kOtherStacks, others);
    if (has_samples_ && spans_ != 0) report_.lost(kSpansBesideSamples, spans_);
    if (!spans && drawn == 0) report_.note(kNothingDrawn);
    uncarried_.tell();
  }

 private:
  // The thread of the event, or its task.
  Thread& thread_of(const trace::Event& event, std::uint64_t* substream = nullptr) {
    const EventSources::Track track = sources_.track_of(event, sources_.of(event).thread);
    if (substream != nullptr) *substream = track.substream;
    const SourceThread& source = track.source;
    if (source.index >= threads_.size()) threads_.resize(source.index + std::size_t{1});
    Thread& thread = threads_[source.index];
    if (thread.node == nullptr) {
      const SourceProcess& process = *source.process;
      const Frame service = frame_of(process.segment.service + '-' + std::to_string(process.pid));
      // Tasks of one name are one stack, like the calls of one function.
      const Frame name =
          frame_of(source.task != 0 ? source.name : source.name + '-' + std::to_string(source.id));
      thread.node = child_of(*child_of(root_, service.name), name.name);
      thread.was_changed = service.was_changed || name.was_changed;
    }
    return thread;
  }

  void add_stack(const trace::Event& event) {
    SampledStacks::Stack stack;
    if (!sampled_.find(event, stack)) return;
    Thread& thread = thread_of(event);
    Node* node = thread.node;
    bool was_changed = thread.was_changed;
    for (const std::uint32_t number : sampled_.frames(event, stack)) {
      while (frames_.size() <= number) {
        frames_.push_back(frame_of(sampled_.name(static_cast<std::uint32_t>(frames_.size()))));
      }
      was_changed |= frames_[number].was_changed;
      node = child_of(*node, frames_[number].name);
    }
    if (was_changed) uncarried_.count(Fact::kName);
    has_samples_ |= stack.is_sample;
    ++(stack.is_sample ? node->samples : node->stacks);
  }

  void put_line(const Node& node, const std::string& weight) {
    line_.clear();
    append_stack(node, line_);
    line_ += ' ';
    line_ += weight;
    line_ += '\n';
    output_.put(line_);
  }

  Node* child_of(Node& parent, const std::string& frame) {
    Node*& child = parent.children[frame];
    if (child == nullptr) {
      child = &nodes_.emplace_back();
      child->parent = &parent;
      child->frame = frame;
    }
    return child;
  }

  void append_stack(const Node& node, std::string& line) {
    stack_.clear();
    for (const Node* n = &node; n != &root_; n = n->parent) stack_.push_back(n);
    for (auto frame = stack_.rbegin(); frame != stack_.rend(); ++frame) {
      if (frame != stack_.rbegin()) line += ';';
      line += (*frame)->frame;
    }
  }

  OutputBytes& output_;
  ConversionReport& report_;
  UncarriedFacts uncarried_;
  EventSources sources_;
  PerSite<Frame> sites_;
  SampledStacks sampled_;
  std::vector<Frame> frames_;  // of sampled_, by number
  bool has_samples_ = false;
  std::uint64_t spans_ = 0;
  Node root_;
  std::vector<const Node*> stack_;  // of append_stack()
  std::string line_;
  std::deque<Node> nodes_;
  std::deque<Thread> threads_;  // by index
};

}  // namespace
}  // namespace folded

std::unique_ptr<TraceWriter> write_folded(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<folded::Writer>(output, report);
}

}  // namespace ringside::tool

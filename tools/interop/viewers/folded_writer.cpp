#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/event_sources.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "tools/interop/valid_utf8.hpp"
#include "tools/interop/viewers/profile_writers.hpp"

namespace ringside::tool {
namespace folded {
namespace {

// A stack: its innermost frame, and the stack around it.
struct Node {
  const Node* parent = nullptr;
  std::string frame;
  std::int64_t self_ns = 0;
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

// Where a name ends in a blank and a number, the blank's place. Readers take such a number for the
// weight of another profile, which the stack is compared with.
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

// Semicolons are between frames, a line end behind the stack.
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
        uncarried_(report,
                   {Fact::kPoints, Fact::kKind, Fact::kLevel, Fact::kKeywords, Fact::kSource,
                    Fact::kCategory, Fact::kSequence, Fact::kFields, Fact::kSubstream,
                    Fact::kActivity, Fact::kRelated, Fact::kStack, Fact::kCut, Fact::kLosses}),
        sources_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    uncarried_.look(event);
    if (event.kind != trace::EventKind::kRecord || !has_duration(event)) return;
    Thread& thread = thread_of(event);
    thread.spans.close(event.unix_ns, [](std::size_t, const auto&) {});
    if (sites_.is_full()) sites_.clear();
    const Frame& frame =
        sites_.of(event, [](const trace::Site& site) { return frame_of(event_name(site)); });
    if (frame.was_changed || thread.was_changed) uncarried_.count(Fact::kName);
    const auto place = thread.spans.place_of(event.unix_ns + duration_ns(event));
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

  void end() override {
    std::string line;
    for (const Node& node : nodes_) {
      if (node.self_ns <= 0) continue;
      line.clear();
      append_stack(node, line);
      line += ' ';
      line += std::to_string(node.self_ns);
      line += '\n';
      output_.put(line);
    }
    uncarried_.tell();
  }

 private:
  Thread& thread_of(const trace::Event& event) {
    const SourceThread& source = sources_.of(event).thread;
    if (source.index >= threads_.size()) threads_.resize(source.index + std::size_t{1});
    Thread& thread = threads_[source.index];
    if (thread.node == nullptr) {
      const SourceProcess& process = *source.process;
      const Frame service = frame_of(process.segment.service + '-' + std::to_string(process.pid));
      const Frame name = frame_of(source.name + '-' + std::to_string(source.id));
      thread.node = child_of(*child_of(root_, service.name), name.name);
      thread.was_changed = service.was_changed || name.was_changed;
    }
    return thread;
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
  UncarriedFacts uncarried_;
  EventSources sources_;
  PerSite<Frame> sites_;
  Node root_;
  std::vector<const Node*> stack_;  // of append_stack()
  std::deque<Node> nodes_;
  std::deque<Thread> threads_;  // by index
};

}  // namespace
}  // namespace folded

std::unique_ptr<TraceWriter> write_folded(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<folded::Writer>(output, report);
}

}  // namespace ringside::tool

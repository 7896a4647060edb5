#include "tools/interop/tptp/tptp_totals.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/interop/tptp/tptp_encoder.hpp"
#include "tools/interop/tptp/tptp_own_records.hpp"
#include "tools/interop/tptp/tptp_structure.hpp"

namespace ringside::tool::tptp {
namespace {

// Calls of one method from one place of a thread's tree of calls. Times are those of the method
// alone, without the calls that it makes.
struct CallNode {
  std::uint64_t method = 0;
  std::uint64_t calls = 0;
  std::uint64_t base_ns = 0;
  std::uint64_t least_ns = UINT64_MAX;
  std::uint64_t most_ns = 0;
  std::map<std::uint64_t, CallNode*> children;  // by method

  // A damaged trace may claim any durations: the sum stays at the largest number.
  void add(std::uint64_t ns) {
    ++calls;
    base_ns += std::min(ns, UINT64_MAX - base_ns);
    least_ns = std::min(least_ns, ns);
    most_ns = std::max(most_ns, ns);
  }
};

struct OpenCall {
  CallNode* node = nullptr;
  std::uint64_t own_ns = 0;  // without the calls in it that have begun, which end within it
};

struct Thread {
  std::uint64_t number = 0;  // 0: not written yet
  SpanLanes<OpenCall*> calls;
  CallNode root;
};

struct Process {
  std::string id;
  std::map<std::uint64_t, Thread> threads;       // by stream
  std::map<std::string, std::uint64_t> methods;  // numbers, by what defines them
};

class TotalsWriter final : public TraceWriter {
 public:
  TotalsWriter(std::unique_ptr<Encoder> encoder, ConversionReport& report)
      : encoder_(std::move(encoder)), report_(report), structure_(*encoder_, report) {
    encoder_->begin();
  }

  void add(const trace::Event& event) override {
    if (event.kind != trace::EventKind::kRecord || !has_duration(event)) {
      return report_.lost("has no duration: only spans are totalled");
    }
    last_unix_ns_ = std::max(last_unix_ns_, event.unix_ns);
    Process& process = process_of(event);
    Thread& thread = thread_of(process, event);
    close(thread, event.unix_ns);
    const auto place =
        thread.calls.place_of(event.unix_ns + duration_ns(event), substream_of(event));
    if (place.was_cut) {
      report_.lost("ends with the call around it: more than 256 calls overlap without nesting");
    }
    const std::uint64_t ns = place.end - event.unix_ns;
    CallNode* around = &thread.root;
    if (place.parent != nullptr) {
      place.parent->what->own_ns -= ns;
      around = place.parent->what->node;
    }
    thread.calls.open(place, new_call(child_of(*around, method_of(process, event)), ns));
  }

  void end() override {
    for (auto& [uuid, process] : processes_) {
      for (auto& [stream, thread] : process.threads) {
        close(thread, UINT64_MAX);
        put_tree(thread);
      }
      structure_.end_process(process.id, last_unix_ns_);
    }
    encoder_->end();
  }

 private:
  Process& process_of(const trace::Event& event) {
    const auto [found, is_new] = processes_.try_emplace(event.segment->uuid);
    if (is_new) {
      found->second.id = std::string(kOwnPrefix) + std::to_string(processes_.size());
      structure_.begin_process(*event.segment, found->second.id);
    }
    return found->second;
  }

  Thread& thread_of(Process& process, const trace::Event& event) {
    Thread& thread = process.threads[event.stream->id];
    if (thread.number == 0) {
      thread.number = ++threads_;
      structure_.begin_thread(process.id, thread.number, *event.stream, event.unix_ns);
    }
    return thread;
  }

  std::uint64_t method_of(Process& process, const trace::Event& event) {
    const trace::Site& site = *event.record.site;
    std::uint64_t& number = process.methods[site.category + '\n' + site.file + '\n' +
                                            std::to_string(site.line) + '\n' + event_name(site)];
    if (number == 0) {
      number = ++methods_;
      structure_.define_method(process.id, number, site, event.unix_ns);
    }
    return number;
  }

  CallNode* child_of(CallNode& parent, std::uint64_t method) {
    CallNode*& child = parent.children[method];
    if (child == nullptr) {
      child = &nodes_.emplace_back();
      child->method = method;
    }
    return child;
  }

  OpenCall* new_call(CallNode* node, std::uint64_t ns) {
    if (free_.empty()) free_.push_back(&calls_.emplace_back());
    OpenCall* const call = free_.back();
    free_.pop_back();
    *call = {node, ns};
    return call;
  }

  void close(Thread& thread, std::uint64_t until_unix_ns) {
    thread.calls.close(until_unix_ns, [this](std::size_t, const auto& span) {
      span.what->node->add(span.what->own_ns);
      free_.push_back(span.what);
    });
  }

  // Each method around those that it calls. Not recursive: calls can be millions deep.
  void put_tree(const Thread& thread) {
    struct Level {
      const CallNode* node;
      std::map<std::uint64_t, CallNode*>::const_iterator next;
    };
    std::vector<Level> levels{{&thread.root, thread.root.children.begin()}};
    for (;;) {
      Level& level = levels.back();
      if (level.next != level.node->children.end()) {
        const CallNode* const child = (level.next++)->second;
        put_message(kAgMethodEntryId, thread, *child);
        levels.push_back({child, child->children.begin()});
        continue;
      }
      if (levels.size() == 1) return;
      put_message(kAgMethodExitId, thread, *level.node);
      levels.pop_back();
    }
  }

  // The format's numbers have a sign.
  static std::int64_t number(std::uint64_t value) {
    return static_cast<std::int64_t>(std::min(value, std::uint64_t{INT64_MAX}));
  }

  void put_message(std::uint16_t type, const Thread& thread, const CallNode& node) {
    Message& message = structure_.start(type, 0);
    set(message, "threadIdRef", static_cast<std::int64_t>(thread.number));
    set(message, "methodIdRef", static_cast<std::int64_t>(node.method));
    if (type == kAgMethodEntryId) {
      set(message, "baseTime", number(node.base_ns));
      set(message, "minTime", number(node.least_ns));
      set(message, "maxTime", number(node.most_ns));
      set(message, "numCalls", number(node.calls));
    }
    encoder_->put(message);
  }

  std::unique_ptr<Encoder> encoder_;
  ConversionReport& report_;
  StructureMessages structure_;
  std::map<std::array<std::uint8_t, 16>, Process> processes_;
  std::deque<CallNode> nodes_;
  std::deque<OpenCall> calls_;
  std::vector<OpenCall*> free_;  // of calls_
  std::uint64_t threads_ = 0;
  std::uint64_t methods_ = 0;
  std::uint64_t last_unix_ns_ = 0;
};

}  // namespace

std::unique_ptr<TraceWriter> write_binary_totals(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<TotalsWriter>(std::make_unique<BinaryEncoder>(output, report), report);
}

std::unique_ptr<TraceWriter> write_xml_totals(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<TotalsWriter>(std::make_unique<XmlEncoder>(output, report), report);
}

}  // namespace ringside::tool::tptp

// The first execution of a statement in stream style, and executions with other texts.

#include <cstdint>
#include <exception>

#include "libagent/include/ringside/stream_site.hpp"
#include "libagent/process/read_only_memory.hpp"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/segment_succession.hpp"
#include "libagent/recording/statement_registry.hpp"

namespace ringside {
namespace {

// With the first text's address, which a release has stored.
bool is_resolved_stream(const rs_stream& stream) {
  return __atomic_load_n(&stream.texts[0].address, __ATOMIC_ACQUIRE) != nullptr;
}

std::uint32_t text_count(const rs_stream_shape& shape) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < shape.count; ++i) count += shape.operands[i] == RS_STREAM_TEXT;
  return count;
}

// Under the lock, or of a resolved statement.
bool has_texts(const rs_stream& stream, const rs_stream_text* given) {
  for (std::uint32_t i = text_count(*stream.shape); i-- > 0;) {
    if (stream.texts[i].text != given[i].text) return false;
  }
  return true;
}

bool are_read_only(const rs_stream& stream, const rs_stream_text* given, const void* elf_header) {
  for (std::uint32_t i = text_count(*stream.shape); i-- > 0;) {
    if (!is_read_only_data(elf_header, given[i].text, given[i].bytes)) return false;
  }
  return true;
}

// Enters `site` into the dictionary, with the switch that the statement has now: a tool may have
// changed it. Failure is not reported: the log call tries again, and counts the loss.
void enter_stream(Agent& agent, rs_stream& stream, rs_site& site, const rs_signature* signature) {
  Segment& segment = *agent.segment.load(std::memory_order_relaxed);
  const bool was_entered = is_registered(*stream.site);
  const std::uint8_t present =
      was_entered ? __atomic_load_n(&segment.switches[stream.site->id], __ATOMIC_RELAXED)
                  : std::uint8_t{0};
  __atomic_store_n(&site.state, &rs_initial_switch, __ATOMIC_RELEASE);
  site.signature = signature;
  site.format = reinterpret_cast<const char*>(&stream);
  if (register_statement(agent, site) || !was_entered) return;
  __atomic_store_n(&segment.switches[site.id], present, __ATOMIC_RELAXED);
}

// Under the lock.
void resolve_stream(Agent& agent, rs_stream& stream, const rs_stream_text* given) {
  const std::uint32_t count = text_count(*stream.shape);
  if (stream.site->format == nullptr) {
    for (std::uint32_t i = 0; i < count; ++i) {
      stream.texts[i].text = given[i].text;
      stream.texts[i].bytes = given[i].bytes;
    }
    enter_stream(agent, stream, *stream.site, stream.shape->values);
  } else if (!has_texts(stream, given) || !is_registered(*stream.site)) {
    return;
  }
  if (!is_registered(*stream.site)) return;
  // The first one last: log calls compare it first, and the id is the final one by then. Without
  // texts, any address will do.
  for (std::uint32_t i = count > 0 ? count : 1; i-- > 0;) {
    const char* const address = count > 0 ? given[i].text : reinterpret_cast<const char*>(&stream);
    __atomic_store_n(&stream.texts[i].address, address, __ATOMIC_RELEASE);
  }
}

// The statement for these texts; null if it cannot be found out now.
rs_site* find_stream_site(rs_stream& stream, const rs_stream_text* given, const void* elf_header) {
  const SlowCall call;
  const bool was_resolved = is_resolved_stream(stream);
  if (was_resolved && has_texts(stream, given)) return stream.site;
  const bool is_candidate = !was_resolved && are_read_only(stream, given, elf_header);
  if (!is_candidate && is_registered(*stream.varying)) return stream.varying;
  if (ReentryGuard::is_active()) return nullptr;
  const SlowPathLock lock(SlowPathLock::Wait::bounded);
  if (!lock.is_taken()) return nullptr;
  Agent& a = agent();
  if (!ensure_segment(a)) return nullptr;
  if (is_candidate) {
    resolve_stream(a, stream, given);
    if (has_texts(stream, given)) return stream.site;
  }
  if (!is_registered(*stream.varying)) enter_stream(a, stream, *stream.varying, stream.shape->all);
  return stream.varying;
}

}  // namespace
}  // namespace ringside

rs_site* rs_resolve_stream(rs_stream* stream, const rs_stream_text* texts, const void* elf_header) {
  rs_site* site = nullptr;
  try {
    site = ringside::find_stream_site(*stream, texts, elf_header);
  } catch (const std::exception&) {  // no memory, even for a message
  }
  if (site == nullptr) {
    ringside::count_refusal(stream->site, ringside::shm::LossCause::kDictionaryFull);
  }
  return site;
}

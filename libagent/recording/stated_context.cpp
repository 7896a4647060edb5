#include "libagent/recording/stated_context.hpp"

#include <cstring>

#include "libagent/process/local_word.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/thread_context.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kUnknown = UINT64_MAX;
// The version of the context that the ring states; 0: that there is none.
constinit thread_local std::uint64_t t_stated_context = 0;

// Whether its id is known in the segment of this thread's ring, which may be an older one than that
// in which it was registered; its switch does not matter.
bool has_number(const rs_site* site) {
  if (site == nullptr || __atomic_load_n(&site->state, __ATOMIC_ACQUIRE) == &rs_initial_switch) {
    return false;
  }
  const Segment* const own = attached_segment();
  if (own == nullptr || own == agent().segment.load(std::memory_order_acquire)) return true;
  // No longer changes.
  return site->id <= own->site_count;
}

}  // namespace

void begin_without_context() {
  t_stated_context = 0;
}

void forget_stated_context() {
  t_stated_context = kUnknown;
}

void register_context() {
  const ThreadContext* const context = thread_context();
  if (context == nullptr || load_local(context->version) == 0) return;
  // The end of a context first: without it, none may begin.
  for (rs_site* const site : {context->none_site, context->stated->site}) {
    if (site != nullptr && !has_number(site)) rs_site_enabled_slow(site);
  }
}

const rs_site* context_to_state() {
  const ThreadContext* const context = thread_context();
  if (context == nullptr) return nullptr;
  const std::uint64_t version = load_local(context->version);
  if (version == 0 || version == t_stated_context || !has_number(context->none_site)) {
    return nullptr;
  }
  if (has_number(context->stated->site)) return context->stated->site;
  return t_stated_context != 0 ? context->none_site : nullptr;
}

std::uint64_t most_context_bytes() {
  const ThreadContext* const context = thread_context();
  return context != nullptr ? shm::kHeadBytes + context->stated->argument_bytes : 0;
}

std::uint64_t context_bytes(const rs_site* site) {
  return site == thread_context()->stated->site ? most_context_bytes()
                                                : std::uint64_t{shm::kHeadBytes};
}

void store_context(const rs_site* site, std::uint64_t tsc, unsigned char* place) {
  const ThreadContext& context = *thread_context();
  const std::uint64_t head = shm::make_head(tsc, static_cast<std::uint32_t>(site->id));
  std::memcpy(place, &head, sizeof head);
  std::memcpy(place + sizeof head, context.stated->arguments.data(),
              context_bytes(site) - sizeof head);
  t_stated_context = load_local(context.version);
}

}  // namespace ringside

#include "libagent/recording/requested_stack.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "libagent/process/local_word.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/caller_addresses.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/stacked_statement.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kMostAddresses = 32;
constexpr std::uint64_t kPad = shm::kHeadBytes;
constexpr std::uint64_t kCountBytes = sizeof(std::uint32_t);
constexpr std::uint64_t kReturnBytes = sizeof(std::uint64_t);
constexpr std::size_t kMostUnderWay = 8;  // handlers that interrupt each other's log calls

struct Ids {
  std::uint32_t site;
  std::uint32_t stacked;
};
constexpr std::uint64_t to_word(const Ids& ids) {
  return std::uint64_t{ids.stacked} << 32 | ids.site;
}
constexpr Ids from_word(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}

// A handler that comes between these words replaces the request, or takes it: the interrupted
// record then has no stack.
struct Request {
  std::uint64_t ids;  // 0: none
  const Segment* segment;
  std::uintptr_t caller_frame;
};
struct Stack {
  Ids ids;
  const Segment* segment;
  std::uint32_t count;
  const void* addresses[kMostAddresses];

  std::uint64_t bytes() const { return kCountBytes + count * kReturnBytes; }
};

// A record between its reservation and its publication.
struct Stacked {
  std::uint64_t start;   // of the record, after the pad
  unsigned char* place;  // of the pad
  std::uint64_t record_bytes;
  std::uint64_t stack_bytes;
  Ids ids;
};
// Of a thread.
struct StackedCalls {
  Request request{};
  // Interrupted calls come before those of their handlers. Handlers use it in between: a place is
  // taken before it is written.
  std::array<Stacked, kMostUnderWay> under_way{};
  std::uint64_t under_way_count = 0;
};
// The address of a StackedCalls; 0 until the first stack is requested. Not in thread-local storage
// itself: a library that is loaded at run time has little of this kind.
constinit thread_local std::uint64_t t_stacked_calls = 0;

StackedCalls* stacked_calls() {
  return reinterpret_cast<StackedCalls*>(load_local(t_stacked_calls));
}

// Null if there is no memory. From the kernel, because signal handlers cannot allocate otherwise.
StackedCalls* make_stacked_calls() {
  if (StackedCalls* const calls = stacked_calls()) return calls;
  void* const memory = mmap(nullptr, sizeof(StackedCalls), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto address = reinterpret_cast<std::uint64_t>(new (memory) StackedCalls);
  // A handler may have come between.
  if (!exchange_local(&t_stacked_calls, 0, address)) munmap(memory, sizeof(StackedCalls));
  return stacked_calls();
}

// Takes the request. `bytes`: of the record. False if the record has no stack.
bool take_stack(StackedCalls& calls, std::uint64_t bytes, Stack* stack) {
  Request& request = calls.request;
  const std::uint64_t word = load_local(request.ids);
  const std::uintptr_t caller_frame = request.caller_frame;
  stack->segment = request.segment;
  if (!exchange_local(&request.ids, word, 0) || word == 0) return false;
  stack->ids = from_word(word);
  const Segment* const segment = agent().segment.load(std::memory_order_acquire);
  if (segment == nullptr || segment != stack->segment) return false;
  // A thread that is still in a ring of a replaced segment, which does not know the second id.
  if (attached_ring() != nullptr && attached_segment() != segment) return false;
  // Left by an execution that a gate suppressed.
  const std::uint8_t state = __atomic_load_n(&segment->switches[stack->ids.site], __ATOMIC_RELAXED);
  if (!shm::is_with_stack(state) || load_local(calls.under_way_count) >= kMostUnderWay)
    return false;
  const std::uint64_t most = shm::max_record_bytes(segment->layout.ring_bytes);
  const std::uint64_t others = kPad + bytes + kCountBytes;
  if (others + kReturnBytes > most) return false;
  const std::uint64_t room = (most - others) / kReturnBytes;
  stack->count =
      addresses_above(caller_frame, stack->addresses,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostAddresses, room)));
  return stack->count != 0;
}

void store_head(unsigned char* place, std::uint64_t head) {
  std::memcpy(place, &head, sizeof head);
}

void note_under_way(StackedCalls& calls, const Stacked& record) {
  const std::uint64_t index = rs_fetch_add_local(&calls.under_way_count, 1);
  if (index < kMostUnderWay) calls.under_way[index] = record;
}

// Writes what surrounds a record of `bytes`. Returns where the record starts.
std::uint64_t surround(StackedCalls& calls, std::uint64_t begin, std::uint64_t bytes,
                       const Stack& stack) {
  unsigned char* const place = rs_place(begin);
  unsigned char* const after = place + kPad + bytes;
  store_head(place, shm::make_head(kPad, shm::kCodePad));
  std::memcpy(after, &stack.count, kCountBytes);
  std::memcpy(after + kCountBytes, stack.addresses, stack.count * kReturnBytes);
  // The reservation may have moved the thread to a segment that does not know the second id.
  const Ids ids = attached_segment() == stack.segment ? stack.ids : Ids{};
  note_under_way(calls, {begin + kPad, place, bytes, stack.bytes(), ids});
  return begin + kPad;
}

// Gives the record the second id of its statement. False if it is of another statement: that of a
// handler, or one that follows an execution that a gate suppressed. Or if its texts were cut.
bool give_second_id(const Stacked& record) {
  unsigned char* const place = record.place + kPad;
  std::uint64_t head = 0;
  std::memcpy(&head, place, sizeof head);
  if (record.ids.stacked == 0 || shm::head_id(head) != record.ids.site) return false;
  store_head(place, shm::make_head(shm::head_tsc(head), record.ids.stacked));
  return true;
}

}  // namespace

void request_stack(rs_site& site, std::uintptr_t caller_frame) {
  const SlowCall call;
  Segment* const segment = agent().segment.load(std::memory_order_acquire);
  if (segment == nullptr) return;
  const std::uint32_t stacked = stacked_id(site, *segment);
  StackedCalls* const calls = stacked != 0 ? make_stacked_calls() : nullptr;
  if (calls == nullptr) return;
  Request& request = calls->request;
  __atomic_store_n(&request.ids, std::uint64_t{0}, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  request.segment = segment;
  request.caller_frame = caller_frame;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&request.ids, to_word({static_cast<std::uint32_t>(site.id), stacked}),
                   __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&rs_thread_state.limit, std::uint64_t{0}, __ATOMIC_RELAXED);
}

bool is_stack_requested() {
  const StackedCalls* const calls = stacked_calls();
  return calls != nullptr && load_local(calls->request.ids) != 0;
}

std::uint64_t reserve_with_stack(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc) {
  std::uint64_t* const pos = &rs_thread_state.pos;
  StackedCalls& calls = *stacked_calls();
  Stack stack;
  // Without this reservation, because the modules of the stack are records of their own. If a
  // handler has recorded after it, the record has no stack.
  if (!exchange_local(pos, start + bytes, start)) {
    __atomic_store_n(&calls.request.ids, std::uint64_t{0}, __ATOMIC_RELAXED);
    return rs_reserve_slow(start, bytes, tsc);
  }
  // Outside of a SlowCall: within one, the records of modules would take it for an abandoned call.
  const bool has_stack = take_stack(calls, bytes, &stack);
  const std::uint64_t all = has_stack ? kPad + bytes + stack.bytes() : bytes;
  // A handler in between may have left one.
  __atomic_store_n(&calls.request.ids, std::uint64_t{0}, __ATOMIC_RELAXED);
  const std::uint64_t reserved = rs_reserve_slow(rs_fetch_add_local(pos, all), all, tsc);
  return has_stack && reserved < RS_DROPPED ? surround(calls, reserved, bytes, stack) : reserved;
}

std::optional<StackedPlace> complete_stacked(std::uint64_t start) {
  StackedCalls* const calls = stacked_calls();
  if (calls == nullptr) return {};
  const std::uint64_t count =
      std::min<std::uint64_t>(load_local(calls->under_way_count), kMostUnderWay);
  for (std::uint64_t i = count; i != 0; --i) {
    const Stacked record = calls->under_way[i - 1];
    if (record.start != start) continue;
    if (!give_second_id(record)) {
      store_head(record.place + kPad + record.record_bytes,
                 shm::make_head(record.stack_bytes, shm::kCodePad));
    }
    // The calls after it were made by handlers: they have ended, or were abandoned.
    __atomic_store_n(&calls->under_way_count, i - 1, __ATOMIC_RELAXED);
    return StackedPlace{start - kPad, kPad + record.record_bytes + record.stack_bytes};
  }
  return {};
}

void forget_stacked_records() {
  if (StackedCalls* const calls = stacked_calls()) calls->under_way_count = 0;
}

void free_stacked_calls() {
  StackedCalls* const calls = stacked_calls();
  if (calls == nullptr || !exchange_local(&t_stacked_calls, load_local(t_stacked_calls), 0)) return;
  munmap(calls, sizeof *calls);
}

}  // namespace ringside

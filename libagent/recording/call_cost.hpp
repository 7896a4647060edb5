#pragma once
// Measures the cost of about one in N log calls of a thread, without any instruction on the record
// path.
//
// Which calls: points lie along the ring's positions, 8 N bytes apart on average, at unpredictable
// distances of at least 8 bytes. A call is measured if a point lies in the 8 bytes of its record's
// head. So every call has the same chance, independent of its record's size and neighbours. `limit`
// of the thread is lowered to the next point, so that calls take the slow path there.
//
// How: that call's slow path leaves 8 bytes after the record that are reserved and not used. So
// rs_publish finds that `pos` is not the end of the record, and calls rs_publish_rest. The clock is
// read there, and the 8 bytes are given back. The ring's bytes do not change.
//
//   call    a = time stamp                              stores, publishes
//   library               b  chooses, prepares  c                          d  counts
//
//   cost = (b - a) + (d - c) - the ticks that measuring adds
//
// The added ticks are determined when the segment is created, with calls without arguments into
// private memory: their measured cost minus their cost in a loop. So the figures are those of a
// loop, plus everything that makes calls cost more than in a loop: arguments, caches, waiting,
// interruptions.
//
// Not measured: calls of a signal handler within a log call of its thread, and the interrupted
// calls if the handler recorded after them; calls that find no ring. The work of a call before it
// reads the clock is not included.

#include <cstdint>

#include "libagent/include/ringside/abi.h"

namespace ringside {

struct Segment;

// Ticks that measuring adds to a call, found by experiment: for a call with a time stamp, and for
// one whose record the consumer stamps, where only c to d is known.
struct MeasuringTicks {
  std::uint64_t stamped = 0;
  std::uint64_t unstamped = 0;
};
// Takes some tenths of a millisecond. Signals are blocked.
MeasuringTicks calibrate_measuring();

// The calling thread takes ring `index`, at `pos`. Has no effect if the segment measures no calls.
// Signals are blocked.
void begin_measuring(const Segment& segment, std::uint32_t index, std::uint64_t pos);
// The calling thread has no ring any more.
void end_measuring();

// Whether calls of this thread are measured at all.
bool measures_calls();

// The value of `limit` for records that may fill the ring up to `space_end`.
std::uint64_t limit_for(std::uint64_t space_end);

// When a call whose record has the time `tsc` began; 0: the time is that of a Burst, or the
// consumer's.
inline std::uint64_t begin_of_call(std::uint64_t tsc) {
  return tsc != rs_thread_state.times[RS_STATE_IN_BURST] ? tsc : 0;
}

// For a call whose record, [start, start + bytes), was reserved: whether it is in the slow path
// only because of measuring. Then there is nothing more to do, and the reservation is valid.
bool is_only_to_be_measured(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc);

struct MeasuredCall {
  std::uint64_t begin_tsc = 0;  // 0: the call has read no clock
  std::uint64_t entered = 0;    // in that case, the begin of the slow path
  bool waited = false;          // for space in the ring
};

// Any other call of a measuring thread. Its record was to begin at `wanted`; it is at `reserved`
// now, or was dropped.
void measure_slow_call(MeasuredCall call, std::uint64_t wanted, std::uint64_t reserved,
                       std::uint64_t bytes);

// End of the record of the call that is being measured; 0: none.
inline constinit thread_local std::uint64_t t_measured_end = 0;

// Call first when publishing that record. Returns the length of the pad record that it left after
// the record, or 0.
std::uint64_t end_measured_call();

}  // namespace ringside

#pragma once
// Measures what about one in N log calls of a thread costs, with nothing on the record path.
//
// Which ones: points lie along the ring's positions, 8 N bytes apart in the mean, at distances that
// nobody can foresee, 8 bytes at least. A call is measured if a point lies in the 8 bytes of its
// record's head. So every call has the same chance, whatever its record's size and neighbours.
// `limit` of the thread is lowered to the next point, so that calls take the slow path there.
//
// How long: that call's slow path leaves 8 bytes behind the record that are reserved and not used,
// so that rs_publish finds that `pos` is not where the record ends, and calls rs_publish_rest. The
// clock is read there, and the 8 bytes are given back. The ring's bytes are the same as ever.
//
//   call    a = time stamp                              stores, publishes
//   library               b  chooses, prepares  c                          d  counts
//
//   cost = (b - a) + (d - c) - what measuring adds
//
// The latter is found when the segment is made, by calls without arguments into private memory:
// what is measured of them less what one of them takes in a loop. So the figures are those of a
// loop, plus what makes calls dearer than in one: arguments, caches, waiting, being interrupted.
//
// Not measured: calls of a signal handler within a log call of its thread, and those that it has
// recorded behind; calls that find no ring. What a call does before it reads the clock is not in
// it.

#include <cstdint>

namespace ringside {

struct Segment;

// Ticks that measuring adds to a call, found by trying: to one with a time stamp, and to one whose
// record the consumer stamps, of which only c to d is known.
struct MeasuringTicks {
  std::uint64_t stamped = 0;
  std::uint64_t unstamped = 0;
};
// Takes some tenths of a millisecond. Signals are blocked.
MeasuringTicks calibrate_measuring();

// The calling thread takes ring `index`, at `pos`. Nothing if the segment measures no calls.
// Signals are blocked.
void begin_measuring(const Segment& segment, std::uint32_t index, std::uint64_t pos);
// It has no ring any more.
void end_measuring();

// Whether calls of this thread are measured at all.
bool measures_calls();

// What is to be `limit` for records that may fill the ring up to `space_end`.
std::uint64_t limit_for(std::uint64_t space_end);

// Of a call whose record, [start, start + bytes), was reserved: whether it is in the slow path for
// the sake of measuring only. Then all that is to be done has been, and the reservation stands.
bool is_only_to_be_measured(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc);

struct MeasuredCall {
  std::uint64_t begin_tsc = 0;  // 0: the consumer stamps it
  std::uint64_t entered = 0;    // when the slow path began, in that case
  bool waited = false;          // for space in the ring
};

// Any other call of a thread that measures. Its record was to begin at `wanted`, and is at
// `reserved` now, or was dropped.
void measure_slow_call(MeasuredCall call, std::uint64_t wanted, std::uint64_t reserved,
                       std::uint64_t bytes);

// Where the record ends of the call that is being measured; 0: none is.
inline constinit thread_local std::uint64_t t_measured_end = 0;

// In the publication of that record, first of all.
void end_measured_call();

}  // namespace ringside

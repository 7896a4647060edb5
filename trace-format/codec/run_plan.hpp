// The plan of one site for the wide kernel for runs of records (record_run_avx512.cpp).
#pragma once

#include <array>
#include <cstdint>

#include "trace-format/codec/site_plan.hpp"

namespace ringside::trace {

inline constexpr unsigned kRunLanes = 8;

// A vector has eight lanes of 8 bytes. With few arguments (`shared`), a record takes one for its
// head and one for each argument, and as many records as fit are coded at a time. With more, the
// arguments of one record fill the vector alone, and the input starts at the arguments.
struct alignas(64) RunPlan {
  using Bytes = std::array<std::uint8_t, 64>;
  using Lanes = std::array<std::uint64_t, kRunLanes>;

  Bytes spread{};     // by byte of the lanes: the index of the input byte
  Bytes low_tags{};   // by byte of the lanes: the tag in its lower half
  Bytes high_tags{};  // by byte of the lanes: the tag in its upper half
  Lanes sign{};       // integers: the highest stored bit if the type is signed
  Lanes before{};     // the lane of the same field in the preceding record, see k_before
  Lanes refused{};    // bits of a distance between heads that the kernel cannot code
  Lanes floor{};      // bit that keeps a count of zeros within the value
  Lanes flip{};       // tag = (zero bytes ^ flip) + base
  Lanes base{};       //
  std::uint64_t spread_mask = 0;  // bytes of the lanes that come from the input
  std::uint64_t head_bytes = 0;   // 1 in the lowest byte of each head's lane
  std::uint64_t tag_bytes = 0;    // bits of a head's lane that are argument tags
  std::uint32_t record_bytes = 0;
  std::uint32_t argument_tag_bytes = 0;
  std::uint32_t records = 0;  // in one vector
  std::uint32_t lanes = 0;    // of one record
  bool shared = false;
  std::uint8_t heads = 0;  // sets of lanes
  std::uint8_t arguments = 0;
  std::uint8_t integers = 0;
  std::uint8_t floats = 0;
  std::uint8_t doubles = 0;  // the floats that have a history
  std::uint32_t doubles_each = 0;
  std::array<std::uint8_t, kRunLanes> double_offset{};  // in the input; one for each double
  std::array<std::uint8_t, kRunLanes> double_lane{};
};

// False if the kernel cannot code records of this site: variable, too many or too wide arguments.
bool make_run_plan(const SitePlan& site, RunPlan& plan);

}  // namespace ringside::trace

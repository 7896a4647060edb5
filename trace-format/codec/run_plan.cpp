#include "trace-format/codec/run_plan.hpp"

#include "shm-layout/record_head.hpp"

namespace ringside::trace {
namespace {

// The lane of a head: the record's tag, up to 4 bytes of time, up to 3 bytes of argument tags.
constexpr unsigned kTagAt = 5;
constexpr unsigned kMaxShared = 3;
constexpr std::uint8_t kZeroByte = 7;  // of the tags' lanes: their upper bytes are all 0

bool is_suitable(const SitePlan& site) {
  if (site.variable || site.fields.size() > kRunLanes) return false;
  for (const FieldPlan& f : site.fields) {
    if (f.coding > Coding::kFloat64) return false;
  }
  return true;
}

void add_head(RunPlan& plan, const SitePlan& site, unsigned lane, unsigned at) {
  for (unsigned i = 0; i < 8; ++i) {
    plan.spread[lane * 8 + i] = static_cast<std::uint8_t>(at + i);
    plan.spread_mask |= std::uint64_t{1} << (lane * 8 + i);
  }
  plan.heads |= static_cast<std::uint8_t>(1U << lane);
  plan.head_bytes |= std::uint64_t{1} << (lane * 8);
  // Another site, a time that is 2^32 ticks away or more, or a step back.
  plan.refused[lane] = ~(std::uint64_t{0xFFFFFFFF} << shm::kHeadIdBits);
  plan.floor[lane] = 1;
  plan.flip[lane] = ~std::uint64_t{0};
  plan.base[lane] = 8;  // bytes of the lane without the tag's
  plan.low_tags[std::size_t{lane} * 8] = static_cast<std::uint8_t>(lane * 8);
  for (unsigned i = 0; i < site.fields.size(); ++i) {
    auto& tags = i % 2 == 0 ? plan.low_tags : plan.high_tags;
    tags[lane * 8 + kTagAt + i / 2] = static_cast<std::uint8_t>((lane + 1 + i) * 8);
  }
}

void add_argument(RunPlan& plan, const FieldPlan& f, unsigned lane, unsigned at) {
  // f32 in the upper half: then its most significant bytes are at the same position as those of
  // f64.
  const unsigned shift = f.coding == Coding::kFloat32 ? 4 : 0;
  for (unsigned i = 0; i < f.bytes; ++i) {
    plan.spread[lane * 8 + shift + i] = static_cast<std::uint8_t>(at + i);
    plan.spread_mask |= std::uint64_t{1} << (lane * 8 + shift + i);
  }
  const auto bit = static_cast<std::uint8_t>(1U << lane);
  plan.arguments |= bit;
  if (f.coding == Coding::kInteger) {
    plan.integers |= bit;
    plan.sign[lane] = f.sign_bit;
    plan.floor[lane] = 1;
    plan.flip[lane] = ~std::uint64_t{0};
    plan.base[lane] = 9;  // 8 - zero bytes
    return;
  }
  plan.floats |= bit;
  plan.floor[lane] = std::uint64_t{1} << 63;
  plan.base[lane] = 1;
  if (f.coding == Coding::kFloat64) {
    unsigned count = 0;
    for (unsigned lanes = plan.doubles; lanes != 0; lanes &= lanes - 1) ++count;
    plan.double_offset[count] = static_cast<std::uint8_t>(at);
    plan.double_lane[count] = static_cast<std::uint8_t>(lane);
    plan.doubles |= bit;
  }
}

}  // namespace

bool make_run_plan(const SitePlan& site, RunPlan& plan) {
  if (!is_suitable(site)) return false;
  plan = {};
  plan.low_tags.fill(kZeroByte);
  plan.high_tags.fill(kZeroByte);
  const auto fields = static_cast<std::uint32_t>(site.fields.size());
  plan.record_bytes = shm::kHeadBytes + site.minimal_bytes;
  plan.argument_tag_bytes = site.tag_bytes;
  for (const FieldPlan& f : site.fields) plan.doubles_each += f.coding == Coding::kFloat64 ? 1 : 0;
  plan.shared = fields <= kMaxShared;
  if (!plan.shared) {
    plan.lanes = fields;
    plan.records = 1;
    for (unsigned i = 0; i < fields; ++i)
      add_argument(plan, site.fields[i], i, site.fields[i].offset);
    return true;
  }
  plan.lanes = 1 + fields;
  plan.records = kRunLanes / plan.lanes;
  for (unsigned tag = 0; tag < site.tag_bytes; ++tag) {
    plan.tag_bytes |= std::uint64_t{1} << (kTagAt + tag);
  }
  for (unsigned record = 0; record < plan.records; ++record) {
    const unsigned lane = record * plan.lanes;
    const unsigned at = record * plan.record_bytes;
    add_head(plan, site, lane, at);
    for (unsigned i = 0; i < site.fields.size(); ++i) {
      const FieldPlan& f = site.fields[i];
      add_argument(plan, f, lane + 1 + i, at + shm::kHeadBytes + f.offset);
    }
    for (unsigned i = 0; i < plan.lanes; ++i) {
      // The first record follows the last one of the vector before.
      plan.before[lane + i] =
          record == 0 ? (plan.records - 1) * plan.lanes + i : kRunLanes + lane - plan.lanes + i;
    }
  }
  return true;
}

}  // namespace ringside::trace

#include "trace-format/codec/read_plan.hpp"

#include <algorithm>

#include "trace-format/codec/argument_tag.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kFixedCodings = kTagLengths.size();

using PairTables = std::array<std::array<PairLengths, kFixedCodings + 1>, kFixedCodings>;

// The second index is offset by one for existing fields: 0 is the unused half.
constexpr PairTables make_pair_tables() {
  PairTables tables{};
  for (std::size_t low = 0; low < kFixedCodings; ++low) {
    for (std::size_t high = 0; high <= kFixedCodings; ++high) {
      for (std::size_t tags = 0; tags < 256; ++tags) {
        const std::uint8_t a = kTagLengths[low][tags & 15];
        const std::uint8_t b = high == 0 ? std::uint8_t{0} : kTagLengths[high - 1][tags >> 4];
        const bool sound = a != kNoSuchTag && b != kNoSuchTag;
        tables[low][high][tags] = sound ? static_cast<std::uint8_t>(a + b) : kNoSuchTag;
      }
    }
  }
  return tables;
}

const PairTables& pair_tables() {
  static const PairTables kPairTables = make_pair_tables();
  return kPairTables;
}

ReadAction action_of(const FieldPlan& field) {
  switch (field.coding) {
    case Coding::kInteger:
      return field.type == shm::FieldType::enumeration ? ReadAction::kEnumeration
                                                       : ReadAction::kInteger;
    case Coding::kFloat32:
      return ReadAction::kFloat32;
    case Coding::kFloat64:
      return ReadAction::kFloat64;
    case Coding::kInteger128:
      return ReadAction::kInteger128;
    case Coding::kFloat80:
      return ReadAction::kFloat80;
    case Coding::kText:
      return ReadAction::kText;
    case Coding::kElements:
      return ReadAction::kElements;
    case Coding::kTextElements:
      break;
  }
  return ReadAction::kTextElements;
}

ReadKind kind_of(const std::vector<ReadField>& fields) {
  const auto all = [&fields](auto&& holds) {
    return std::all_of(fields.begin(), fields.end(), holds);
  };
  if (fields.empty()) return ReadKind::kNothing;
  if (!all([](const ReadField& f) { return !is_variable(f.coding); })) return ReadKind::kAny;
  if (all([](const ReadField& f) { return f.action == ReadAction::kSkip; })) return ReadKind::kSkip;
  if (all([](const ReadField& f) { return f.action == ReadAction::kInteger; })) {
    return ReadKind::kIntegers;
  }
  const auto is_scalar = [](const ReadField& f) {
    return f.action == ReadAction::kInteger || f.action == ReadAction::kFloat64 ||
           (f.action == ReadAction::kSkip &&
            (f.coding == Coding::kInteger || f.coding == Coding::kFloat64));
  };
  return all(is_scalar) ? ReadKind::kScalars : ReadKind::kNumbers;
}

}  // namespace

ReadPlan read_plan(const SitePlan& site) {
  ReadPlan plan;
  plan.tag_bytes = site.tag_bytes;
  plan.quick_bytes = site.tag_bytes + 8;
  for (const FieldPlan& f : site.fields) {
    plan.fields.push_back({f.value_mask, f.sign_bit, f.field, f.bytes, f.coding, action_of(f)});
    if (!is_variable(f.coding)) plan.quick_bytes += f.coding == Coding::kInteger ? 8U : f.bytes;
  }
  plan.kind = kind_of(plan.fields);
  if (plan.kind == ReadKind::kAny) return plan;
  for (std::size_t i = 0; i < plan.fields.size(); i += 2) {
    const auto low = static_cast<std::size_t>(plan.fields[i].coding);
    const bool last = i + 1 == plan.fields.size();
    const std::size_t high = last ? 0 : static_cast<std::size_t>(plan.fields[i + 1].coding) + 1;
    plan.pairs.push_back({&pair_tables()[low][high], true});
  }
  return plan;
}

ReadPlan narrowed_plan(const ReadPlan& whole, const std::vector<bool>& wanted, bool numbers) {
  ReadPlan plan = whole;
  for (ReadField& field : plan.fields) {
    const bool needed = (field.field < wanted.size() && wanted[field.field]) ||
                        is_variable(field.coding) || (numbers && field.coding == Coding::kFloat64);
    if (!needed) field.action = ReadAction::kSkip;
  }
  for (std::size_t i = 0; i < plan.pairs.size(); ++i) {
    const auto skips = [&plan](std::size_t at) {
      return at >= plan.fields.size() || plan.fields[at].action == ReadAction::kSkip;
    };
    plan.pairs[i].wanted = !skips(2 * i) || !skips(2 * i + 1);
  }
  plan.kind = kind_of(plan.fields);
  return plan;
}

}  // namespace ringside::trace

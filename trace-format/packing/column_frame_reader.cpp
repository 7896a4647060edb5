#include "trace-format/packing/column_frame_reader.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/packing/column_bytes.hpp"
#include "trace-format/packing/column_layout.hpp"
#include "trace-format/packing/extent_rebuilder.hpp"
#include "trace-format/packing/integer_column.hpp"
#include "trace-format/packing/real_column.hpp"
#include "trace-format/packing/ring_record_writer.hpp"
#include "trace-format/packing/text_column.hpp"

namespace ringside::trace {
namespace {

using Values = std::vector<std::uint64_t>;
using shm::FieldType;

// The values of several groups, each read front to back.
struct GroupedValues {
  std::vector<Values> groups;
  std::vector<std::size_t> next;

  bool take(std::size_t group, std::uint64_t& value) {
    if (group >= groups.size() || next[group] == groups[group].size()) return false;
    value = groups[group][next[group]++];
    return true;
  }
};

class FrameRestorer {
 public:
  FrameRestorer(std::span<const std::byte> content, std::span<std::byte> restored)
      : in_(content), restored_(restored) {}

  bool run() {
    in_.take_bytes(kColumnHeadBytes);
    return take_pieces() && take_sites() && take_heads() && take_symbols() && take_times() &&
           take_extensions() && take_values() && in_.at_end() && restore_pieces();
  }

 private:
  struct Heading {
    std::uint32_t site = 0;
    std::uint32_t predecessor = 0;
    bool same = false;
  };
  struct Arguments {           // in ring_
    std::uint64_t extent = 0;  // its number; 0: none
    std::size_t at = 0;
    std::size_t bytes = 0;
  };

  bool take_pieces();
  bool take_sites();
  bool take_heads();
  bool take_symbols();
  bool take_times();
  bool take_extensions();
  bool take_values();
  bool take_field(const FieldPlan& field, std::size_t rows, FieldValues& values);
  bool restore_pieces();
  bool restore_extent(const ExtentHeadValues& head);
  std::size_t time_group(const Heading& record) const {
    if (time_grouping_ == Grouping::kAll) return 0;
    return time_grouping_ == Grouping::kBySite ? record.site : record.predecessor;
  }
  bool next_extension(RecordExtension& extension);
  bool put(std::span<const std::byte> bytes) {
    if (bytes.size() > restored_.size() - at_) return false;
    if (!bytes.empty()) std::memcpy(restored_.data() + at_, bytes.data(), bytes.size());
    at_ += bytes.size();
    return true;
  }

  ColumnReader in_;
  std::span<std::byte> restored_;
  std::size_t at_ = 0;
  Values kinds_;
  Values byte_lengths_;
  std::span<const std::byte> complements_;
  FrameSites sites_;
  std::vector<ExtentHeadValues> heads_;
  std::vector<Heading> records_;
  GroupedValues times_;
  Grouping time_grouping_ = Grouping::kAll;
  bool any_extension_ = false;
  Values extension_flags_, substreams_, stacks_, durations_;
  std::vector<std::string_view> activities_, related_;
  std::size_t next_substream_ = 0, next_stack_ = 0, next_duration_ = 0, next_activity_ = 0,
              next_related_ = 0;
  std::vector<SiteValues> values_;  // by site - 1
  TextRoom room_{kMaxFrameTextBytes, kMaxFrameTextNumbers};
  std::size_t next_record_ = 0;
  std::size_t ring_bytes_ = 0;
  std::vector<std::byte> ring_;
  std::vector<Arguments> before_;  // by site - 1: its latest record
  std::uint64_t extent_ = 0;
  ExtentRebuilder rebuilder_{sites_};
};

bool FrameRestorer::take_pieces() {
  // A piece restores a byte at least.
  const auto pieces = static_cast<std::size_t>(in_.take_number(restored_.size()));
  take_integers(in_, pieces, kinds_);
  if (in_.failed()) return false;
  std::size_t of_bytes = 0;
  for (const std::uint64_t kind : kinds_) {
    if (kind > static_cast<std::uint64_t>(PieceKind::kExtent)) return false;
    if (kind == static_cast<std::uint64_t>(PieceKind::kBytes)) ++of_bytes;
  }
  heads_.resize(pieces - of_bytes);
  take_integers(in_, of_bytes, byte_lengths_);
  if (in_.failed()) return false;
  std::uint64_t all = 0;
  for (const std::uint64_t length : byte_lengths_) {
    if (length > restored_.size() - all) return false;
    all += length;
  }
  complements_ = in_.take_bytes(all);
  return !in_.failed();
}

bool FrameRestorer::take_sites() {
  const std::uint64_t count = in_.take_number(kMaxFrameSites);
  std::vector<FieldType> types;
  for (std::uint64_t i = 0; i < count && !in_.failed(); ++i) {
    const std::uint64_t id = in_.take_number(UINT32_MAX);
    const auto bytes = in_.take_bytes(in_.take_number(shm::kMaxFields));
    types.clear();
    for (const std::byte code : bytes) {
      const auto type = static_cast<FieldType>(code);
      if (!shm::is_valid_code(static_cast<std::uint8_t>(code)) ||
          shm::element_type(type) == FieldType::enumeration) {
        return false;
      }
      types.push_back(type);
    }
    if (in_.failed() || !sites_.add(static_cast<std::uint32_t>(id), types)) return false;
    values_.emplace_back().fields.resize(types.size());
  }
  before_.resize(values_.size());
  return !in_.failed();
}

bool FrameRestorer::take_heads() {
  Values column;
  for (std::size_t i = 0; i < ExtentHeadValues::kCount; ++i) {
    take_integers(in_, heads_.size(), column);
    if (in_.failed()) return false;
    const bool relative = i == 3 || i == 4;
    for (std::size_t e = 0; e < heads_.size(); ++e) {
      heads_[e].values[i] = column[e] + (relative ? heads_[e].base() : 0);
    }
  }
  // A record restores a byte at least.
  std::uint64_t all = 0;
  for (const ExtentHeadValues& head : heads_) {
    if (head.records() > restored_.size() - all) return false;
    all += head.records();
  }
  records_.resize(static_cast<std::size_t>(all));
  return true;
}

bool FrameRestorer::take_symbols() {
  const auto grouping = static_cast<Grouping>(in_.take_byte());
  GroupedValues symbols;
  if (grouping == Grouping::kAll) {
    symbols.groups.resize(1);
    take_integers(in_, records_.size(), symbols.groups[0]);
  } else if (grouping == Grouping::kByPredecessor) {
    symbols.groups.resize(sites_.size() + 1);
    std::size_t left = records_.size();
    for (Values& group : symbols.groups) {
      const auto count = static_cast<std::size_t>(in_.take_number(left));
      left -= count;
      take_integers(in_, count, group);
      if (in_.failed()) return false;
    }
  } else {
    return false;
  }
  if (in_.failed()) return false;
  symbols.next.resize(symbols.groups.size());
  std::size_t record = 0;
  std::size_t values = 0;
  for (const ExtentHeadValues& head : heads_) {
    std::uint32_t predecessor = 0;
    for (std::uint64_t i = 0; i < head.records(); ++i) {
      std::uint64_t symbol = 0;
      if (!symbols.take(grouping == Grouping::kAll ? 0 : predecessor, symbol)) return false;
      const std::uint64_t site = symbol >> 1;
      if (site == 0 || site > sites_.size()) return false;
      const Heading heading{static_cast<std::uint32_t>(site), predecessor, (symbol & 1) != 0};
      records_[record++] = heading;
      predecessor = heading.site;
      if (heading.same) continue;
      SiteValues& of_site = values_[heading.site - 1];
      ++of_site.rows;
      values += of_site.fields.size();
      if (values > kMaxValuesPerByte * restored_.size()) return false;
    }
  }
  return true;
}

bool FrameRestorer::take_times() {
  const unsigned grouping = in_.take_byte();
  if (grouping > static_cast<unsigned>(Grouping::kByPredecessor)) return false;
  time_grouping_ = static_cast<Grouping>(grouping);
  std::vector<std::size_t> counts(time_grouping_ == Grouping::kAll ? 1 : sites_.size() + 1);
  for (const Heading& record : records_) {
    if (record.predecessor != 0) ++counts[time_group(record)];
  }
  times_.groups.resize(counts.size());
  times_.next.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) take_integers(in_, counts[i], times_.groups[i]);
  return !in_.failed();
}

bool FrameRestorer::take_extensions() {
  const unsigned any = in_.take_byte();
  if (any > 1) return false;
  any_extension_ = any == 1;
  if (!any_extension_) return true;
  take_integers(in_, records_.size(), extension_flags_);
  if (in_.failed()) return false;
  const auto count_of = [this](std::uint32_t flag) {
    return static_cast<std::size_t>(
        std::count_if(extension_flags_.begin(), extension_flags_.end(),
                      [flag](std::uint64_t flags) { return (flags & flag) != 0; }));
  };
  take_integers(in_, count_of(shm::kExtSubstream), substreams_);
  take_texts(in_, count_of(shm::kExtActivity), room_, activities_);
  take_texts(in_, count_of(shm::kExtRelatedActivity), room_, related_);
  take_integers(in_, count_of(shm::kExtStack), stacks_);
  take_integers(in_, count_of(shm::kExtDuration), durations_);
  return !in_.failed();
}

bool FrameRestorer::take_field(const FieldPlan& field, std::size_t rows, FieldValues& values) {
  if (is_variable(field.coding)) {
    take_texts(in_, rows, room_, values.texts);
  } else if (field.coding == Coding::kFloat64 || field.coding == Coding::kFloat32) {
    take_reals(in_, rows, field.coding == Coding::kFloat64 ? RealWidth::k64 : RealWidth::k32,
               values.numbers);
  } else {
    take_integers(in_, rows, values.numbers);
    if (field.bytes > 8) take_integers(in_, rows, values.high);
  }
  return !in_.failed();
}

bool FrameRestorer::take_values() {
  for (std::uint32_t number = 1; number <= sites_.size(); ++number) {
    const SitePlan& plan = sites_.plan(number);
    SiteValues& site = values_[number - 1];
    for (std::size_t i = 0; i < plan.fields.size(); ++i) {
      if (!take_field(plan.fields[i], site.rows, site.fields[i])) return false;
    }
    site.rows = 0;  // from now on: those that are restored
  }
  return true;
}

bool FrameRestorer::next_extension(RecordExtension& extension) {
  extension = {};
  const std::uint64_t flags = extension_flags_[next_record_];
  if (!shm::are_valid_flags(flags)) return false;
  extension.ext_flags = static_cast<std::uint32_t>(flags);
  const auto take_id = [](std::string_view text, std::array<std::uint8_t, 16>& id) {
    if (text.size() != id.size()) return false;
    std::memcpy(id.data(), text.data(), id.size());
    return true;
  };
  if ((flags & shm::kExtSubstream) != 0) extension.substream = substreams_[next_substream_++];
  if ((flags & shm::kExtActivity) != 0 &&
      !take_id(activities_[next_activity_++], extension.activity)) {
    return false;
  }
  if ((flags & shm::kExtRelatedActivity) != 0 &&
      !take_id(related_[next_related_++], extension.related)) {
    return false;
  }
  if ((flags & shm::kExtStack) != 0) {
    extension.stack_id = static_cast<std::uint32_t>(stacks_[next_stack_++]);
  }
  if ((flags & shm::kExtDuration) != 0) extension.duration = durations_[next_duration_++];
  return true;
}

bool FrameRestorer::restore_extent(const ExtentHeadValues& head) {
  ring_.clear();
  ++extent_;
  RingRecordWriter writer(ring_);
  RecordExtension extension;
  std::uint64_t time = head.base();
  for (std::uint64_t i = 0; i < head.records(); ++i, ++next_record_) {
    const Heading& record = records_[next_record_];
    std::uint64_t ticks = 0;
    if (record.predecessor != 0 && !times_.take(time_group(record), ticks)) return false;
    time += ticks;
    if (any_extension_ && !next_extension(extension)) return false;
    writer.begin(time, record.site, &extension);
    Arguments& before = before_[record.site - 1];
    const std::size_t arguments = ring_.size();
    if (record.same) {
      if (before.extent != extent_) return false;
      writer.repeat(before.at, before.bytes);
    } else {
      SiteValues& site = values_[record.site - 1];
      std::size_t index = 0;
      for (const FieldPlan& field : sites_.plan(record.site).fields) {
        const FieldValues& values = site.fields[index++];
        if (is_variable(field.coding)) {
          if (!writer.put_text(field, values.texts[site.rows])) return false;
        } else {
          writer.put_number(field, values.numbers[site.rows],
                            field.bytes > 8 ? values.high[site.rows] : 0);
        }
        if (ring_.size() > kMaxExtentRingBytes) return false;
      }
      ++site.rows;
    }
    writer.end();
    before = {extent_, arguments, ring_.size() - arguments};
    if (ring_.size() > kMaxExtentRingBytes) return false;
  }
  ring_bytes_ += ring_.size();
  if (ring_bytes_ > kMaxFrameRingBytes) return false;
  const auto block = rebuilder_.rebuild(ring_, head);
  return !block.empty() && put(block);
}

bool FrameRestorer::restore_pieces() {
  std::size_t extent = 0;
  std::size_t length = 0;
  for (const std::uint64_t kind : kinds_) {
    if (kind == static_cast<std::uint64_t>(PieceKind::kExtent)) {
      if (!restore_extent(heads_[extent++])) return false;
      continue;
    }
    const std::size_t at = at_;
    const auto bytes = complements_.first(static_cast<std::size_t>(byte_lengths_[length++]));
    complements_ = complements_.subspan(bytes.size());
    if (!put(bytes)) return false;
    for (std::byte& b : restored_.subspan(at, bytes.size())) b = ~b;
  }
  return at_ == restored_.size();
}

}  // namespace

std::optional<std::size_t> restored_bytes(std::span<const std::byte> content) {
  if (content.size() < kColumnHeadBytes || load<std::uint32_t>(content.data()) != kColumnMagic) {
    return std::nullopt;
  }
  return load<std::uint32_t>(content.data() + 4);
}

bool restore_columns(std::span<const std::byte> content, std::span<std::byte> restored) {
  return restored_bytes(content) == restored.size() && FrameRestorer(content, restored).run();
}

}  // namespace ringside::trace

#include "trace-format/packing/column_frame_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/packing/integer_column.hpp"
#include "trace-format/packing/real_column.hpp"
#include "trace-format/packing/ring_record_writer.hpp"
#include "trace-format/packing/text_column.hpp"

namespace ringside::trace {
namespace {

using Values = std::vector<std::uint64_t>;
using shm::FieldType;

// Enumerations are coded like integers; their names are not needed here.
FieldType coded_type(FieldType type) {
  if (shm::element_type(type) != FieldType::enumeration) return type;
  return shm::is_array(type) ? shm::array_of(FieldType::i64) : FieldType::i64;
}

std::uint64_t low_bits(const FieldPlan& field, const Value& value) {
  if (field.coding == Coding::kFloat32) return std::bit_cast<std::uint32_t>(value.f32);
  return value.u64;
}

bool same_bytes(const std::byte* a, const std::byte* b, std::size_t bytes) {
  return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

}  // namespace

void ColumnFrameWriter::clear() {
  out_.clear();
  restored_bytes_ = 0;
  for (auto* column :
       {&kinds_, &byte_lengths_, &extension_flags_, &substreams_, &stacks_, &durations_}) {
    column->clear();
  }
  complements_.clear();
  sites_.clear();
  numbers_.clear();
  heads_.clear();
  records_.clear();
  values_.clear();
  activities_.clear();
  related_.clear();
  any_extension_ = false;
  value_count_ = ring_bytes_ = 0;
  rings_.clear();
  ids_.clear();
}

void ColumnFrameWriter::add_bytes(std::span<const std::byte> bytes) {
  kinds_.push_back(static_cast<std::uint64_t>(PieceKind::kBytes));
  byte_lengths_.push_back(bytes.size());
  // As complements, so that a reader that searches for blocks finds none in a frame.
  for (const std::byte b : bytes) complements_.push_back(~b);
  restored_bytes_ += bytes.size();
}

std::uint32_t ColumnFrameWriter::site_number(const Site& site, std::uint64_t section) {
  const auto key = std::pair(section, site.id);
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  std::vector<FieldType> types;
  for (const FieldPlan& field : site.plan.fields) types.push_back(coded_type(field.type));
  if (!sites_.add(site.id, types)) return 0;
  const auto number = static_cast<std::uint32_t>(sites_.size());
  numbers_.emplace(key, number);
  values_.emplace_back().fields.resize(types.size());
  return number;
}

// Appends the records to rings_.back() and places_.
bool ColumnFrameWriter::take_records(std::span<const std::byte> payload, const SiteTable& sites,
                                     std::uint64_t section) {
  if (!decoder_.open(payload, sites, nullptr, nullptr, ExtentDecoder::Contexts::kRaw)) {
    return false;
  }
  std::vector<std::byte>& ring = rings_.back();
  RingRecordWriter writer(ring);
  struct Before {
    std::size_t arguments = 0;
    std::size_t bytes = 0;
  };
  std::unordered_map<std::uint32_t, Before> before;  // by site
  Record record;
  while (decoder_.next(record)) {
    RecordPlace place;
    place.site = site_number(*record.site, section);
    if (place.site == 0) return false;
    place.time = head_tsc(record.tsc, record);
    place.extension = record;
    writer.begin(place.time, place.site, &record);
    place.arguments = ring.size();
    for (const FieldPlan& field : record.site->plan.fields) {
      const Value& value = record.args[field.field];
      if (!is_variable(field.coding)) {
        writer.put_number(field, low_bits(field, value), value.high);
      } else if (!writer.put_text(field, value.text)) {
        return false;
      }
    }
    writer.end();
    if (ring.size() > kMaxExtentRingBytes) return false;
    const std::size_t bytes = ring.size() - place.arguments;
    const auto [known, is_first] = before.try_emplace(place.site);
    place.same =
        !is_first && known->second.bytes == bytes &&
        same_bytes(ring.data() + known->second.arguments, ring.data() + place.arguments, bytes);
    known->second = {place.arguments, bytes};
    places_.push_back(place);
  }
  return !decoder_.failed();
}

bool ColumnFrameWriter::add_extent(std::span<const std::byte> block, const SiteTable& sites,
                                   std::uint64_t section) {
  const auto payload = block.subspan(std::min(block.size(), kBlockHeaderBytes));
  if (payload.size() < kExtentHeaderBytes) return false;
  const ExtentHeadValues head = ExtentHeadValues::read(payload.data());
  rings_.emplace_back();
  places_.clear();
  bool fits = take_records(payload, sites, section) && places_.size() == head.records() &&
              (places_.empty() || places_[0].time == head.base());
  std::size_t values = 0;
  for (const RecordPlace& record : places_) {
    if (!record.same) values += sites_.plan(record.site).fields.size();
  }
  fits = fits && value_count_ + values <= kMaxValuesPerByte * (restored_bytes_ + block.size());
  if (fits) {
    ExtentRebuilder rebuilder(sites_);
    const auto rebuilt = rebuilder.rebuild(rings_.back(), head);
    fits = std::equal(rebuilt.begin(), rebuilt.end(), block.begin(), block.end());
  }
  if (!fits) {
    rings_.pop_back();
    return false;
  }
  kinds_.push_back(static_cast<std::uint64_t>(PieceKind::kExtent));
  restored_bytes_ += block.size();
  value_count_ += values;
  ring_bytes_ += rings_.back().size();
  heads_.push_back(head);
  std::uint32_t predecessor = 0;
  std::uint64_t time = head.base();
  for (const RecordPlace& record : places_) {
    records_.push_back({record.site, predecessor, record.same, record.time - time});
    predecessor = record.site;
    time = record.time;
    add_extension(record.extension);
    if (!record.same) add_values(record);
  }
  return true;
}

void ColumnFrameWriter::add_values(const RecordPlace& record) {
  const std::byte* at = rings_.back().data() + record.arguments;
  SiteValues& site = values_[record.site - 1];
  ++site.rows;
  std::size_t index = 0;
  for (const FieldPlan& field : sites_.plan(record.site).fields) {
    FieldValues& values = site.fields[index++];
    if (!is_variable(field.coding)) {
      std::uint64_t low = load_bytes(at, std::min<std::size_t>(field.bytes, 8));
      if (field.coding == Coding::kInteger) low = (low ^ field.sign_bit) - field.sign_bit;
      values.numbers.push_back(low);
      if (field.bytes > 8) values.high.push_back(load_bytes(at + 8, field.bytes - 8U));
      at += field.bytes;
      continue;
    }
    const auto count = load<std::uint32_t>(at);
    at += 4;
    std::size_t bytes = count;
    if (field.coding == Coding::kElements) bytes *= field.bytes;
    if (field.coding == Coding::kTextElements) {
      bytes = 0;
      for (std::uint32_t i = 0; i < count; ++i) bytes += 4 + load<std::uint32_t>(at + bytes);
    }
    values.texts.emplace_back(reinterpret_cast<const char*>(at), bytes);
    at += bytes;
  }
}

void ColumnFrameWriter::add_extension(const RecordExtension& extension) {
  const std::uint32_t flags = extension.ext_flags;
  extension_flags_.push_back(flags);
  if (flags == 0) return;
  any_extension_ = true;
  if ((flags & shm::kExtSubstream) != 0) substreams_.push_back(extension.substream);
  if ((flags & shm::kExtStack) != 0) stacks_.push_back(extension.stack_id);
  if ((flags & shm::kExtDuration) != 0) durations_.push_back(extension.duration);
  const auto add_id = [this](const std::array<std::uint8_t, 16>& id,
                             std::vector<std::string_view>& column) {
    ids_.push_back(id);
    column.emplace_back(reinterpret_cast<const char*>(ids_.back().data()), id.size());
  };
  if ((flags & shm::kExtActivity) != 0) add_id(extension.activity, activities_);
  if ((flags & shm::kExtRelatedActivity) != 0) add_id(extension.related, related_);
}

void ColumnFrameWriter::put_sites() {
  out_.put_number(sites_.size());
  for (std::uint32_t number = 1; number <= sites_.size(); ++number) {
    const SitePlan& plan = sites_.plan(number);
    out_.put_number(sites_.id(number));
    out_.put_number(plan.fields.size());
    for (const FieldPlan& field : plan.fields) out_.put_byte(shm::code(field.type));
  }
}

void ColumnFrameWriter::put_heads() {
  Values column(heads_.size());
  for (std::size_t i = 0; i < ExtentHeadValues::kCount; ++i) {
    // The smallest and largest times follow from the base, nearly.
    const bool relative = i == 3 || i == 4;
    for (std::size_t e = 0; e < heads_.size(); ++e) {
      column[e] = heads_[e].values[i] - (relative ? heads_[e].base() : 0);
    }
    put_integers(column, out_);
  }
}

// The values of `of` in the grouping that takes the fewest bits; `first` may be none.
template <class Group, class Of>
static double group_columns(std::size_t groups, std::size_t count, Group group, Of of,
                            std::vector<Values>& columns) {
  columns.assign(groups, {});
  for (std::size_t i = 0; i < count; ++i) columns[group(i)].push_back(of(i));
  double bits = 0;
  for (const Values& column : columns) bits += choose_integer_model(column).bits;
  return bits;
}

void ColumnFrameWriter::put_symbols() {
  const auto symbol = [this](std::size_t i) {
    return std::uint64_t{records_[i].site} << 1 | (records_[i].same ? 1 : 0);
  };
  std::vector<Values> all;
  std::vector<Values> grouped;
  const double flat = group_columns(
      1, records_.size(), [](std::size_t) { return std::size_t{0}; }, symbol, all);
  const double by_predecessor = group_columns(
      sites_.size() + 1, records_.size(), [this](std::size_t i) { return records_[i].predecessor; },
      symbol, grouped);
  const bool is_grouped = by_predecessor < flat;
  out_.put_byte(static_cast<unsigned>(is_grouped ? Grouping::kByPredecessor : Grouping::kAll));
  for (const Values& column : is_grouped ? grouped : all) {
    if (is_grouped) out_.put_number(column.size());
    put_integers(column, out_);
  }
}

void ColumnFrameWriter::put_times() {
  // An extent's first record has the time of its base.
  std::vector<std::size_t> later;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].predecessor != 0) later.push_back(i);
  }
  const auto ticks = [&](std::size_t i) { return records_[later[i]].ticks; };
  std::array<std::vector<Values>, 3> groups;
  std::array<double, 3> bits{};
  bits[0] = group_columns(
      1, later.size(), [](std::size_t) { return std::size_t{0}; }, ticks, groups[0]);
  bits[1] = group_columns(
      sites_.size() + 1, later.size(), [&](std::size_t i) { return records_[later[i]].site; },
      ticks, groups[1]);
  bits[2] = group_columns(
      sites_.size() + 1, later.size(),
      [&](std::size_t i) { return records_[later[i]].predecessor; }, ticks, groups[2]);
  const auto best =
      static_cast<std::size_t>(std::min_element(bits.begin(), bits.end()) - bits.begin());
  out_.put_byte(static_cast<unsigned>(best));
  for (const Values& column : groups[best]) put_integers(column, out_);
}

void ColumnFrameWriter::put_extensions() {
  out_.put_byte(any_extension_ ? 1 : 0);
  if (!any_extension_) return;
  put_integers(extension_flags_, out_);
  put_integers(substreams_, out_);
  put_texts(activities_, out_);
  put_texts(related_, out_);
  put_integers(stacks_, out_);
  put_integers(durations_, out_);
}

const ColumnWriter& ColumnFrameWriter::finish() {
  out_.clear();
  const std::span<std::byte> head = out_.put_room(kColumnHeadBytes);
  store(head.data(), kColumnMagic);
  store(head.data() + 4, static_cast<std::uint32_t>(restored_bytes_));
  out_.put_number(kinds_.size());
  put_integers(kinds_, out_);
  put_integers(byte_lengths_, out_);
  out_.cut();
  out_.put_bytes(complements_);
  out_.cut();
  put_sites();
  put_heads();
  put_symbols();
  put_times();
  put_extensions();
  for (std::uint32_t number = 1; number <= sites_.size(); ++number) {
    const SitePlan& plan = sites_.plan(number);
    for (std::size_t i = 0; i < plan.fields.size(); ++i) {
      const FieldValues& values = values_[number - 1].fields[i];
      const Coding coding = plan.fields[i].coding;
      if (is_variable(coding)) {
        put_texts(values.texts, out_);
      } else if (coding == Coding::kFloat64 || coding == Coding::kFloat32) {
        put_reals(values.numbers, coding == Coding::kFloat64 ? RealWidth::k64 : RealWidth::k32,
                  out_);
      } else {
        put_integers(values.numbers, out_);
        put_integers(values.high, out_);
      }
    }
  }
  return out_;
}

}  // namespace ringside::trace

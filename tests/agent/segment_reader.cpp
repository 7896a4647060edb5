#include "tests/agent/segment_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/field_type_name.hpp"

namespace ringside::test {
namespace {

[[noreturn]] void unsound(const std::string& what) {
  throw std::runtime_error(what);
}

template <class T>
T load(const std::vector<unsigned char>& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value < bytes.size() ? sizeof value : bytes.size());
  return value;
}

// Of a number of 16 bytes.
std::uint64_t load_upper(const std::vector<unsigned char>& bytes) {
  return load<std::uint64_t>({bytes.begin() + 8, bytes.end()});
}

// Of an f80, of finite numbers only.
long double of_x87(const std::vector<unsigned char>& bytes) {
  const std::uint64_t upper = load_upper(bytes);
  const auto digits = static_cast<long double>(load<std::uint64_t>(bytes));
  const long double number = std::ldexp(digits, static_cast<int>(upper & 0x7FFF) - 16383 - 63);
  return (upper & 0x8000) != 0 ? -number : number;
}

std::string number_text(shm::FieldType type, const std::vector<unsigned char>& bytes) {
  char text[64];
  switch (type) {
    case shm::FieldType::character:
    case shm::FieldType::i8:
      return std::to_string(load<std::int8_t>(bytes));
    case shm::FieldType::i16:
      return std::to_string(load<std::int16_t>(bytes));
    case shm::FieldType::i32:
      return std::to_string(load<std::int32_t>(bytes));
    case shm::FieldType::i64:
      return std::to_string(load<std::int64_t>(bytes));
    case shm::FieldType::boolean:
    case shm::FieldType::u8:
    case shm::FieldType::u16:
    case shm::FieldType::u32:
    case shm::FieldType::u64:
      return std::to_string(load<std::uint64_t>(bytes));
    case shm::FieldType::i128:
    case shm::FieldType::u128:
      std::snprintf(text, sizeof text, "0x%016lx%016lx", load_upper(bytes),
                    load<std::uint64_t>(bytes));
      return text;
    case shm::FieldType::f32:
      std::snprintf(text, sizeof text, "%.9g", static_cast<double>(load<float>(bytes)));
      return text;
    case shm::FieldType::f64:
      std::snprintf(text, sizeof text, "%.17g", load<double>(bytes));
      return text;
    case shm::FieldType::f80:
      std::snprintf(text, sizeof text, "%.20Lg", of_x87(bytes));
      return text;
    case shm::FieldType::enumeration:
      return std::to_string(load<std::int64_t>(bytes));
    case shm::FieldType::pointer:
      std::snprintf(text, sizeof text, "%#lx", load<std::uint64_t>(bytes));
      return text;
    default:
      unsound("a field of unexpected type");
  }
}

std::string value_text(shm::FieldType type, const std::vector<unsigned char>& bytes) {
  const bool is_text = type == shm::FieldType::string || type == shm::FieldType::bytes;
  return std::string(shm::name(type)) + " " +
         (is_text ? std::string(bytes.begin(), bytes.end()) : number_text(type, bytes));
}

}  // namespace

SegmentReader::SegmentReader(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) unsound("cannot open " + path);
  struct stat info {};
  fstat(fd, &info);
  bytes_ = static_cast<std::size_t>(info.st_size);
  void* const place = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (place == MAP_FAILED) unsound("cannot map " + path);
  base_ = static_cast<std::byte*>(place);
  if (header().magic != shm::kSegmentMagic) unsound("no magic in " + path);
  if (header().version.load(std::memory_order_acquire) != shm::kAbiVersion) {
    unsound("another version in " + path);
  }
  const auto layout = shm::read_layout(header(), bytes_);
  if (!layout) unsound("regions outside of " + path);
  layout_ = *layout;
}

SegmentReader::~SegmentReader() {
  munmap(base_, bytes_);
}

const shm::SegmentHeader& SegmentReader::header() const {
  return *reinterpret_cast<const shm::SegmentHeader*>(base_);
}

shm::ControlPage& SegmentReader::control() const {
  return *reinterpret_cast<shm::ControlPage*>(base_ + layout_.control_offset);
}

const shm::CallCosts& SegmentReader::call_costs(std::uint32_t index) const {
  if (layout_.call_costs_offset == 0) unsound("no calls are measured");
  return reinterpret_cast<const shm::CallCosts*>(base_ + layout_.call_costs_offset)[index];
}

shm::RingMetadata& SegmentReader::ring(std::uint32_t index) const {
  return reinterpret_cast<shm::RingMetadata*>(base_ + layout_.metadata_offset)[index];
}

const shm::NestedRecords& SegmentReader::nested(std::uint32_t index) const {
  return reinterpret_cast<const shm::NestedRecords*>(base_ + layout_.nested_offset)[index];
}

std::uint8_t SegmentReader::site_switch(std::uint32_t site_id) const {
  return static_cast<std::uint8_t>(base_[layout_.switches_offset + site_id]);
}

void SegmentReader::set_site_switch(std::uint32_t site_id, std::uint8_t state) {
  base_[layout_.switches_offset + site_id] = static_cast<std::byte>(state);
}

SegmentReader::Executions SegmentReader::executions(std::uint32_t site_id) const {
  Executions sum;
  for (std::uint32_t stripe = 0; stripe < shm::kExecutionStripes; ++stripe) {
    const auto* const entry = reinterpret_cast<const shm::SiteExecutions*>(
        base_ + layout_.site_executions_offset + shm::execution_offset(site_id, stripe));
    sum.counted += entry->counted.load();
    sum.suppressed += entry->suppressed.load();
    if (entry->counted.load() != 0) ++sum.stripes;
  }
  return sum;
}

std::uint32_t SegmentReader::rings_used() const {
  return control().service.rings_used.load(std::memory_order_acquire);
}

const std::map<std::uint32_t, Site>& SegmentReader::sites() {
  const std::uint64_t committed =
      control().service.dictionary_committed_bytes.load(std::memory_order_acquire);
  while (dictionary_read_ < committed) {
    const std::span<const std::byte> rest(base_ + layout_.dictionary_offset + dictionary_read_,
                                          committed - dictionary_read_);
    const std::uint32_t bytes = shm::entry_bytes(rest);
    if (bytes != 0 && shm::entry_kind(rest) == shm::kEntryEnumTable) {
      add_enumeration(rest.first(bytes));
      dictionary_read_ += bytes;
      continue;
    }
    const auto view = bytes == 0 ? std::nullopt : shm::SiteEntryView::parse(rest.first(bytes));
    if (!view) unsound("invalid entry in the dictionary");
    const shm::SiteDescription& d = view->site();
    Site site{d.site_id,
              d.line,
              d.level,
              d.flags,
              std::string(d.format),
              std::string(d.file),
              std::string(d.function),
              {},
              std::string(d.name),
              d.kind,
              std::string(d.category),
              d.keywords};
    view->for_each_field([&site](std::uint16_t, const shm::FieldDescription& f) {
      const shm::FieldType type = f.array != 0 ? shm::array_of(f.type) : f.type;
      site.fields.push_back({type, (f.flags & shm::kFieldFormatArg) != 0, std::string(f.name)});
      site.fields.back().enum_table_id = f.enum_table_id;
      if ((f.flags & shm::kFieldConstant) == 0) return;
      site.fields.back().constant = value_text(f.type, {f.constant.begin(), f.constant.end()});
    });
    if (!sites_.emplace(d.site_id, std::move(site)).second) unsound("a site id used twice");
    dictionary_read_ += bytes;
  }
  return sites_;
}

void SegmentReader::add_enumeration(std::span<const std::byte> entry) {
  const auto at = [entry]<class T>(std::size_t offset, T) {
    T value{};
    std::memcpy(&value, entry.subspan(offset, sizeof value).data(), sizeof value);
    return value;
  };
  const std::size_t count = at(6, std::uint16_t{});
  std::map<std::int64_t, std::string>& names = enumerations_[at(8, std::uint32_t{})];
  if (!names.empty()) unsound("an enum table id used twice");
  std::size_t name = 16 + 16 * count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = at(24 + 16 * i, std::uint32_t{});
    const auto text = entry.subspan(name, length);
    names[at(16 + 16 * i, std::int64_t{})] =
        std::string(reinterpret_cast<const char*>(text.data()), text.size());
    name += length;
  }
}

std::map<std::int64_t, std::string> SegmentReader::enumeration(std::uint32_t table_id) {
  sites();
  return enumerations_[table_id];
}

std::size_t SegmentReader::count_sites(const std::string& format) {
  std::size_t count = 0;
  for (const auto& [id, site] : sites()) count += site.format == format ? 1U : 0U;
  return count;
}

const Site& SegmentReader::site(const std::string& format) {
  if (count_sites(format) != 1) unsound("not exactly one site with the format " + format);
  for (const auto& [id, site] : sites()) {
    if (site.format == format) return site;
  }
  unsound("unreachable");
}

void SegmentReader::copy(std::uint32_t index, std::uint64_t pos, void* out,
                         std::size_t bytes) const {
  if (bytes == 0) return;
  const std::byte* const ring = base_ + layout_.rings_offset + index * layout_.ring_bytes;
  const std::uint64_t at = pos & (layout_.ring_bytes - 1);
  const std::size_t first = std::min<std::size_t>(bytes, layout_.ring_bytes - at);
  std::memcpy(out, ring + at, first);
  std::memcpy(static_cast<std::byte*>(out) + first, ring, bytes - first);
}

std::vector<Record> SegmentReader::records(std::uint32_t index, std::uint64_t from,
                                           std::uint64_t to) {
  std::vector<Record> records;
  std::uint64_t at = from;
  const auto take = [&](void* out, std::size_t bytes) {
    if (bytes > to - at) unsound("a record extends past the published bytes");
    copy(index, at, out, bytes);
    at += bytes;
  };
  while (at < to) {
    Record r;
    r.pos = at;
    std::uint64_t head = 0;
    take(&head, sizeof head);
    r.code = shm::head_id(head);
    r.tsc = shm::head_tsc(head);
    if (r.code == shm::kCodeClock || r.code == shm::kCodeDrop) {
      take(r.words, sizeof r.words);
    } else if (r.code == shm::kCodePad) {
      if (r.tsc < sizeof head || r.tsc > to - r.pos) unsound("a pad of impossible size");
      at = r.pos + r.tsc;
    } else {
      std::uint32_t extended[3] = {};
      const bool is_extended = r.code == shm::kCodeExtended;
      if (is_extended) {
        take(extended, sizeof extended);
        r.code = extended[0];
        r.flags = extended[1];
        if ((r.flags & shm::kExtActivity) != 0) take(r.activity.data(), r.activity.size());
        if ((r.flags & shm::kExtRelatedActivity) != 0) take(r.related.data(), r.related.size());
        if ((r.flags & shm::kExtDuration) != 0) take(&r.duration, sizeof r.duration);
      }
      const auto found = sites().find(r.code);
      if (found == sites().end()) unsound("a record of an unknown site");
      for (const Field& field : found->second.fields) {
        if (!field.constant.empty()) continue;
        const auto take_value = [&](shm::FieldType type) {
          std::uint32_t length = static_cast<std::uint32_t>(shm::fixed_size(type));
          if (shm::is_variable_length(type)) take(&length, sizeof length);
          if (length > to - at) unsound("a string extends past the published bytes");
          std::vector<unsigned char> bytes(length);
          take(bytes.data(), length);
          return value_text(type, bytes);
        };
        if (!shm::is_array(field.type)) {
          r.values.push_back(take_value(field.type));
          continue;
        }
        std::uint32_t count = 0;
        take(&count, sizeof count);
        std::string elements = "[";
        for (std::uint32_t i = 0; i < count; ++i) {
          elements += (i == 0 ? "" : ", ") + take_value(shm::element_type(field.type));
        }
        r.values.push_back(elements + "]");
      }
      if (is_extended && at - r.pos != extended[2]) unsound("an extended record of wrong size");
    }
    r.bytes = at - r.pos;
    records.push_back(std::move(r));
  }
  return records;
}

std::vector<Record> SegmentReader::records(std::uint32_t index) {
  const std::uint64_t from = ring(index).consumer.consumer_pos.load(std::memory_order_relaxed);
  return records(index, from, ring(index).producer.producer_pos.load(std::memory_order_acquire));
}

std::vector<Record> SegmentReader::data(std::uint32_t index) {
  std::vector<Record> all = records(index);
  std::erase_if(all, [](const Record& r) { return !r.is_data(); });
  return all;
}

std::uint32_t SegmentReader::my_ring() const {
  const auto thread = static_cast<std::uint32_t>(gettid());
  for (std::uint32_t i = 0; i < rings_used(); ++i) {
    const shm::IdentityLine& identity = ring(i).identity;
    if (identity.thread_id == thread &&
        identity.state.load() == static_cast<std::uint32_t>(shm::RingState::kActive)) {
      return i;
    }
  }
  unsound("this thread has no ring");
}

SegmentReader& own_segment() {
  static SegmentReader reader(status().segment_path);
  return reader;
}

std::vector<std::string> last_values() {
  SegmentReader& segment = own_segment();
  const std::vector<Record> data = segment.data(segment.my_ring());
  if (data.empty()) unsound("nothing was recorded");
  return data.back().values;
}

}  // namespace ringside::test

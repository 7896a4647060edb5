#include "scripted_service.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include <sys/mman.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_lock.hpp"

namespace ringside::consumer_test {

std::string segment_name(const std::string& service, unsigned number) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016x", number);
  return "ringside." + service + "." + std::to_string(number) + "." + digits;
}

ScriptedService::ScriptedService(const std::string& shm_dir, const std::string& service,
                                 unsigned number, std::uint32_t rings, bool ready,
                                 bool measures_calls, std::uint64_t ring_bytes)
    : name_(segment_name(service, number)), path_(shm_dir + "/" + name_) {
  fd_ = consumer::UniqueFd(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  layout_ = shm::plan_segment(ring_bytes, rings, 4096, 64U << 10, measures_calls);
  if (!fd_ || !consumer::try_lock_byte(fd_.get(), shm::kServiceLockByte) ||
      ftruncate(fd_.get(), static_cast<off_t>(layout_.segment_bytes)) != 0) {
    throw std::runtime_error("cannot make " + path_);
  }
  // Maps through another open file description: a mapping keeps the lock of its own description as
  // long as it exists, and a dead service has no mapping.
  const consumer::UniqueFd mapped(open(path_.c_str(), O_RDWR | O_CLOEXEC));
  void* const place =
      mmap(nullptr, layout_.segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, mapped.get(), 0);
  if (place == MAP_FAILED) throw std::runtime_error("cannot map " + path_);
  base_ = static_cast<std::byte*>(place);
  shm::SegmentHeader& h = header();
  h.magic = shm::kSegmentMagic;
  h.header_bytes = sizeof h;
  h.byte_order_mark = shm::kByteOrderMark;
  h.segment_bytes = layout_.segment_bytes;
  std::memcpy(h.uuid, &number, sizeof number);
  h.uuid[15] = 1;
  h.pid = number;
  h.clock_source = shm::ClockSource::kX86Tsc;
  h.tsc_frequency_hz = 2'000'000'000;
  h.start_tsc = shm::read_tsc();
  h.start_realtime_ns = 1'700'000'000'000'000'000U;
  h.ring_bytes = layout_.ring_bytes;
  h.ring_count = layout_.ring_count;
  h.site_capacity = layout_.site_capacity;
  h.max_record_bytes = shm::max_record_bytes(layout_.ring_bytes);
  h.cost_sampling = measures_calls ? 1 : 0;
  shm::write_regions(layout_, h);
  service.copy(h.service, sizeof h.service - 1);
  for (std::uint32_t i = 0; i < rings; ++i) {
    shm::IdentityLine& identity = ring(i).identity;
    identity.stream_id = i + 1;
    identity.start_tsc = h.start_tsc;
    identity.generation.store(1);
    identity.state.store(static_cast<std::uint32_t>(shm::RingState::kActive));
  }
  add_site(1);
  control().service.rings_used.store(rings);
  control().kept_contexts.rings.store(rings);
  if (ready) h.version.store(shm::kAbiVersion, std::memory_order_release);
}

ScriptedService::~ScriptedService() {
  munmap(base_, layout_.segment_bytes);
}

void ScriptedService::append_dictionary(const void* bytes, std::size_t size) {
  std::atomic<std::uint64_t>& committed = control().service.dictionary_committed_bytes;
  const std::uint64_t at = committed.load();
  std::memcpy(base_ + layout_.dictionary_offset + at, bytes, size);
  committed.store(at + size, std::memory_order_release);
}

void ScriptedService::add_site(std::uint32_t id, shm::FieldType type, std::string_view file,
                               std::uint32_t line) {
  shm::SiteDescription site;
  site.site_id = id;
  site.name = "value";
  site.file = file;
  site.line = line;
  shm::FieldDescription field;
  field.type = type;
  field.name = "value";
  std::vector<std::byte> entry(shm::site_entry_bytes(site, {&field, 1}));
  shm::write_site_entry(site, {&field, 1}, entry.data());
  append_dictionary(entry.data(), entry.size());
}

std::uint64_t ScriptedService::published(std::uint32_t index) const {
  return ring(index).producer.producer_pos.load() / kRecordBytes;
}

std::uint64_t ScriptedService::publish(std::uint32_t index, std::uint64_t count) {
  std::uint64_t done = 0;
  for (; done < count; ++done) {
    const std::uint64_t pos = ring(index).producer.producer_pos.load();
    if (pos + kRecordBytes - ring(index).consumer.consumer_pos.load() > layout_.ring_bytes) break;
    const std::uint64_t words[2] = {shm::make_head(shm::read_tsc(), 1), pos / kRecordBytes};
    publish_raw(index, words, sizeof words);
  }
  return done;
}

void ScriptedService::publish_raw(std::uint32_t index, const void* bytes, std::size_t size) {
  std::atomic<std::uint64_t>& producer = ring(index).producer.producer_pos;
  const std::uint64_t pos = producer.load();
  std::byte* const ring_base = base_ + layout_.rings_offset + index * layout_.ring_bytes;
  const std::size_t at = pos & (layout_.ring_bytes - 1);
  const std::size_t first = std::min<std::size_t>(size, layout_.ring_bytes - at);
  std::memcpy(ring_base + at, bytes, first);
  std::memcpy(ring_base, static_cast<const std::byte*>(bytes) + first, size - first);
  producer.store(pos + size, std::memory_order_release);
}

void ScriptedService::retire(std::uint32_t index) {
  ring(index).identity.state.store(static_cast<std::uint32_t>(shm::RingState::kRetired),
                                   std::memory_order_release);
}

void ScriptedService::die() {
  fd_.reset();
}

}  // namespace ringside::consumer_test

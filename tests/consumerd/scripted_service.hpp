#pragma once
// A service's segment made by hand, so that a test can put any content into it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "consumerd/descriptors/unique_fd.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/field_type.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_layout.hpp"

namespace ringside::consumer_test {

// Site 1 has one field, a u64. Ring r carries stream r + 1.
class ScriptedService {
 public:
  static constexpr std::uint64_t kRingBytes = 64U << 10;
  static constexpr std::uint64_t kRecordBytes = 16;

  // Complete and live from the start; if `ready` is false, the version word stays 0.
  ScriptedService(const std::string& shm_dir, const std::string& service, unsigned number,
                  std::uint32_t rings, bool ready = true, bool measures_calls = false,
                  std::uint64_t ring_bytes = kRingBytes);
  ~ScriptedService();
  ScriptedService(const ScriptedService&) = delete;
  ScriptedService& operator=(const ScriptedService&) = delete;

  // Publishes up to `count` records with values that continue from the ring's last one; fewer if
  // the ring is full. Returns the number of records.
  std::uint64_t publish(std::uint32_t ring, std::uint64_t count);
  std::uint64_t published(std::uint32_t ring) const;  // number of records published so far
  // Publishes these bytes unchanged at the producer position.
  void publish_raw(std::uint32_t ring, const void* bytes, std::size_t size);
  void retire(std::uint32_t ring);
  // Ends the service: its lock is free.
  void die();
  // A site with one field.
  void add_site(std::uint32_t id, shm::FieldType type = shm::FieldType::u64,
                std::string_view file = {}, std::uint32_t line = 0);
  void append_dictionary(const void* bytes, std::size_t size);

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  const shm::SegmentLayout& layout() const { return layout_; }
  shm::SegmentHeader& header() { return *reinterpret_cast<shm::SegmentHeader*>(base_); }
  shm::ControlPage& control() {
    return *reinterpret_cast<shm::ControlPage*>(base_ + layout_.control_offset);
  }
  shm::RingMetadata& ring(std::uint32_t index) const {
    return reinterpret_cast<shm::RingMetadata*>(base_ + layout_.metadata_offset)[index];
  }
  shm::CallCosts& call_costs(std::uint32_t index) const {
    return reinterpret_cast<shm::CallCosts*>(base_ + layout_.call_costs_offset)[index];
  }
  shm::SiteExecutions& executions(std::uint32_t site_id, std::uint32_t stripe) {
    return *reinterpret_cast<shm::SiteExecutions*>(base_ + layout_.site_executions_offset +
                                                   shm::execution_offset(site_id, stripe));
  }
  std::byte* bytes() { return base_; }
  int fd() const { return fd_.get(); }

 private:
  std::string name_;
  std::string path_;
  consumer::UniqueFd fd_;
  shm::SegmentLayout layout_{};
  std::byte* base_ = nullptr;
};

// "ringside.<service>.<number>.<16 digits>"
std::string segment_name(const std::string& service, unsigned number);

}  // namespace ringside::consumer_test

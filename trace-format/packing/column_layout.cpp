#include "trace-format/packing/column_layout.hpp"

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kWideHeadFields = 5;

}  // namespace

ExtentHeadValues ExtentHeadValues::read(const std::byte* head) {
  ExtentHeadValues result;
  auto& v = result.values;
  for (std::size_t i = 0; i < kWideHeadFields; ++i) v[i] = load<std::uint64_t>(head + 8 * i);
  v[5] = load<std::uint32_t>(head + 40);
  v[6] = load<std::uint32_t>(head + 44);
  v[7] = load<std::uint64_t>(head + 48);
  v[8] = load<std::uint32_t>(head + 56);
  return result;
}

void ExtentHeadValues::write(std::byte* head) const {
  for (std::size_t i = 0; i < kWideHeadFields; ++i) store(head + 8 * i, values[i]);
  store(head + 40, static_cast<std::uint32_t>(values[5]));
  store(head + 44, static_cast<std::uint32_t>(values[6]));
  store(head + 48, values[7]);
  store(head + 56, static_cast<std::uint32_t>(values[8]));
}

bool FrameSites::add(std::uint32_t id, std::span<const shm::FieldType> types) {
  if (size() == kMaxFrameSites || types.size() > shm::kMaxFields ||
      types.size() > kMaxFrameFields - fields_) {
    return false;
  }
  shm::SiteDescription site;
  site.site_id = static_cast<std::uint32_t>(ids_.size());
  std::vector<shm::FieldDescription> fields(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) fields[i].type = types[i];
  std::vector<std::byte> entry(shm::site_entry_bytes(site, fields));
  shm::write_site_entry(site, fields, entry.data());
  if (!table_->add(entry, nullptr)) return false;
  ids_.push_back(id);
  fields_ += types.size();
  return true;
}

}  // namespace ringside::trace

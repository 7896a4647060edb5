#include "trace-format/reader/section_catalog.hpp"

#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/text/literal_finder.hpp"

namespace ringside::trace {

bool SectionCatalog::add_entries(std::span<const std::byte> payload, std::string* why) {
  const std::size_t before = sites_.size();
  const bool sound = sites_.add(payload, why);
  if (!options_.site || (choice_ != nullptr && sites_.size() == before)) return sound;
  asked_.resize(sites_.id_limit());
  wanted_.resize(sites_.id_limit());
  needs_text_.resize(sites_.id_limit());
  // A new one, because open decoders may use the old one.
  choice_ = std::make_shared<SiteChoice>();
  // The contexts first: with their fields, records of other sites may be wanted.
  bool has_new_context = false;
  sites_.for_each([&](const Site& site) {
    if (site.kind != shm::SiteKind::kContext) return;
    choice_->follow(site);
    if (asked_[site.id]) return;
    has_new_context = asked_[site.id] = true;
    options_.site(site, segment_);
  });
  sites_.for_each([&](const Site& site) {
    if (site.kind == shm::SiteKind::kContext) return;
    if (!asked_[site.id] || has_new_context) {
      wanted_[site.id] = options_.site(site, segment_);
      needs_text_[site.id] = !options_.text.empty() && options_.needs_text(site);
    }
    asked_[site.id] = true;
    if (wanted_[site.id]) choice_->add(site);
  });
  // The choice does not change after this, so that threads may share it.
  sites_.for_each([&](const Site& site) { choice_->plan(site); });
  return sound;
}

void SectionCatalog::add_stream(const StreamBlock& block) {
  Stream& stream = streams_[block.stream_id];
  StreamInfo& info = stream.info;
  info.id = block.stream_id;
  if (info.thread_id != block.thread_id || info.thread_name != block.thread_name ||
      info.start_tsc != block.start_tsc || info.ring_index != block.ring_index) {
    ++info.revision;
    stream.asked = false;
  }
  info.start_tsc = block.start_tsc;
  info.thread_id = block.thread_id;
  info.ring_index = block.ring_index;
  info.thread_name = block.thread_name;
}

SectionCatalog::Stream& SectionCatalog::stream(std::uint64_t id) {
  Stream& stream = streams_[id];
  stream.info.id = id;
  if (!stream.asked && options_.stream) stream.wanted = options_.stream(stream.info, segment_);
  stream.asked = true;
  return stream;
}

bool SectionCatalog::wants(std::span<const std::byte> site_ids,
                           std::span<const std::byte> records) const {
  if (!options_.site) return true;
  bool if_text = false;
  for (std::size_t at = 0; at + 4 <= site_ids.size(); at += 4) {
    const auto id = load<std::uint32_t>(site_ids.data() + at);
    if (id >= wanted_.size() || sites_.find(id) == nullptr) return true;
    if (wanted_[id] && !needs_text_[id]) return true;
    if_text = if_text || wanted_[id];
  }
  // An extent contains each text that is not empty or constant once as it is.
  return if_text &&
         contains_literal({reinterpret_cast<const char*>(records.data()), records.size()},
                          options_.text);
}

bool SectionCatalog::knows(std::span<const std::byte> site_ids) const {
  for (std::size_t at = 0; at + 4 <= site_ids.size(); at += 4) {
    if (sites_.find(load<std::uint32_t>(site_ids.data() + at)) == nullptr) return false;
  }
  return true;
}

}  // namespace ringside::trace

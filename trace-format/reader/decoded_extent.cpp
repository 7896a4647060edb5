#include "trace-format/reader/decoded_extent.hpp"

#include <algorithm>
#include <utility>

namespace ringside::trace {

DecodedExtent::DecodedExtent(std::vector<std::byte> payload, const SiteTable& sites,
                             const ClockMap& clocks, std::shared_ptr<SiteChoice> choice)
    : payload_(std::move(payload)), sites_(sites), clocks_(clocks), choice_(std::move(choice)) {}

void DecodedExtent::decode() {
  ExtentDecoder decoder;
  if (!decoder.open(payload_, sites_, &why_, choice_.get(), ExtentDecoder::Contexts::kAside)) {
    return;
  }
  header_ = decoder.header();
  if (!decoder.has_chosen()) return;
  TickClock clock(clocks_);
  records_.reserve(std::min<std::size_t>(header_.records, kMostBytes / kRecordBytes));
  decoder.for_each([&](const RecordView& record) {
    if (too_large_) return;
    const std::size_t count = record.site->initial_values.size();
    if (records_.size() * sizeof(Kept) + (values_.size() + count) * sizeof(Value) +
            extensions_.size() * sizeof(RecordExtension) >
        kMostBytes) {
      too_large_ = true;
      return;
    }
    Kept kept{
        clock.unix_ns(record.tsc), record.tsc, record.sequence, record.site, values_.size(), 0};
    if (record.extension != nullptr || record.context != nullptr) {
      extensions_.push_back(record.extension != nullptr ? *record.extension : RecordExtension{});
      extensions_.back().context = record.context;
      kept.extension = static_cast<std::uint32_t>(extensions_.size());
    }
    values_.insert(values_.end(), record.args, record.args + count);
    records_.push_back(kept);
  });
  contexts_ = decoder.take_contexts();
  failure_ = decoder.failure();
  if (failure_ != nullptr)
    missing_ = header_.first_sequence + header_.records - decoder.next_sequence();
  if ((header_.flags & kExtentUnordered) != 0) {
    std::sort(records_.begin(), records_.end(), [](const Kept& a, const Kept& b) {
      return a.unix_ns != b.unix_ns ? a.unix_ns < b.unix_ns : a.sequence < b.sequence;
    });
  }
}

void DecodedExtent::get(std::size_t i, Record& record) const {
  const Kept& kept = records_[i];
  if (kept.extension != 0) {
    static_cast<RecordExtension&>(record) = extensions_[kept.extension - 1];
  } else if (!record.is_empty()) {
    static_cast<RecordExtension&>(record) = {};
  }
  record.tsc = kept.tsc;
  record.stream_id = header_.stream_id;
  record.sequence = kept.sequence;
  record.site = kept.site;
  record.processor = header_.processor();
  record.args = {values_.data() + kept.values, kept.site->initial_values.size()};
}

}  // namespace ringside::trace

#include "perf/compression/trace_maker.hpp"

#include <algorithm>
#include <stdexcept>

#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::perf {

template <class Write>
void TraceMaker::put(Write&& write) {
  Bytes out(256 << 10);
  out.resize(write(std::span<std::byte>(out)));
  bytes_.insert(bytes_.end(), out.begin(), out.end());
}

TraceMaker::TraceMaker() {
  trace::SectionHeader header;
  header.uuid[0] = 1;
  header.tick_hz = 1'000'000'000;
  header.service = "study";
  put([&](auto out) { return trace::write_header_block(header, out); });
  put([](auto out) {
    return trace::write_clock_block({0, 0, std::uint64_t{1} << trace::kClockFractionBits, 0, 0},
                                    out);
  });
}

std::uint32_t TraceMaker::add_site(const std::string& format,
                                   const std::vector<shm::FieldType>& types) {
  shm::SiteDescription site;
  site.site_id = static_cast<std::uint32_t>(sites_.size()) + 1;
  site.format = format;
  std::vector<shm::FieldDescription> fields(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) fields[i].type = types[i];
  Bytes entry(shm::site_entry_bytes(site, fields));
  shm::write_site_entry(site, fields, entry.data());
  std::string why;
  if (!sites_.add(entry, &why)) throw std::runtime_error(why);
  put([&](auto out) { return trace::write_dictionary_block(entry, out); });
  return site.site_id;
}

void TraceMaker::begin(std::uint64_t ticks, std::uint32_t site) {
  if (records_++ == 0) first_ticks_ = ticks;
  number(shm::make_head(ticks, site));
}

const Bytes& TraceMaker::finish() {
  constexpr std::size_t kBatchBytes = 64 << 10;
  put([&](auto out) { return trace::write_stream_block({1, first_ticks_, 1, 0, "study"}, out); });
  trace::ExtentEncoder encoder(sites_);
  trace::StreamCursor cursor{.stream_id = 1, .last_tsc = first_ticks_};
  auto input = std::as_bytes(std::span(ring_));
  while (!input.empty()) {
    std::size_t consumed = 0;
    put([&](auto out) {
      const auto batch = input.first(std::min(input.size(), kBatchBytes));
      const trace::EncodeResult result = encoder.encode(batch, cursor, 0, 0, out);
      consumed = result.consumed_bytes;
      return result.output_bytes;
    });
    if (consumed == 0) throw std::runtime_error("a record is invalid");
    input = input.subspan(consumed);
  }
  put([&](auto out) { return trace::write_end_block({records_, 0}, out); });
  return bytes_;
}

}  // namespace ringside::perf

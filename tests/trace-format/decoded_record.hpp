// Encodes and decodes for tests, and converts decoded records back to ring form to compare them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ring_bytes.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::trace::testing {

// A record that owns its data.
struct Decoded {
  std::uint64_t tsc = 0;
  std::uint64_t sequence = 0;
  std::uint32_t site_id = 0;
  std::uint32_t ext_flags = 0;
  std::string parts;         // of the extension, as in a ring record
  std::string args;          // of all fields that are not constant, as in a ring record
  std::string context = {};  // the site id and the arguments of its context, in the same form

  bool operator==(const Decoded&) const = default;
};

inline std::string ring_form(const Value& value, bool with_length = true) {
  const shm::FieldType type = value.type;
  if (shm::is_array(type)) return raw(value.count) + std::string(value.text);
  if (shm::is_variable_length(type)) {
    return with_length ? raw_text(value.text) : std::string(value.text);
  }
  std::string bytes = raw(value.u64) + raw(value.high);
  if (type == shm::FieldType::f32) bytes = raw(value.f32);
  if (type == shm::FieldType::f64) bytes = raw(value.f64);
  bytes.resize(shm::fixed_size(type));
  return bytes;
}

inline std::string ring_form(const Site& site, std::span<const Value> values) {
  std::string bytes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!site.fields[i].is_constant()) bytes += ring_form(values[i]);
  }
  return bytes;
}

inline std::string ring_form(const RecordContext* context) {
  if (context == nullptr) return {};
  return raw(context->site->id) + ring_form(*context->site, context->args);
}

inline Decoded owned(const Record& record) {
  Decoded d{record.tsc, record.sequence, record.site->id, record.ext_flags, {}, {}};
  d.context = ring_form(record.context);
  const auto id = [](const std::array<std::uint8_t, 16>& bytes) {
    return std::string(bytes.begin(), bytes.end());
  };
  if ((record.ext_flags & shm::kExtSubstream) != 0) d.parts += raw(record.substream);
  if ((record.ext_flags & shm::kExtActivity) != 0) d.parts += id(record.activity);
  if ((record.ext_flags & shm::kExtRelatedActivity) != 0) d.parts += id(record.related);
  if ((record.ext_flags & shm::kExtStack) != 0) d.parts += raw(record.stack_id);
  if ((record.ext_flags & shm::kExtDuration) != 0) d.parts += raw(record.duration);
  d.args = ring_form(*record.site, record.args);
  return d;
}

// Decodes one EXTENT block into `records`; returns its header.
inline ExtentHeader decode_block(std::span<const std::byte> block, const SiteTable& sites,
                                 std::vector<Decoded>& records) {
  BlockFrame frame;
  EXPECT_TRUE(parse_block_frame(block, frame));
  EXPECT_EQ(frame.type, BlockType::kExtent);
  EXPECT_EQ(frame.block_bytes(), block.size());
  const auto payload = block.subspan(kBlockHeaderBytes);
  EXPECT_TRUE(check_block(block, payload));
  ExtentDecoder decoder;
  std::string why;
  EXPECT_TRUE(decoder.open(payload, sites, &why)) << why;
  Record record;
  std::size_t count = 0;
  while (decoder.next(record)) {
    records.push_back(owned(record));
    ++count;
  }
  EXPECT_FALSE(decoder.failed()) << decoder.failure();
  EXPECT_EQ(count, decoder.header().records);
  return decoder.header();
}

struct RoundTrip {
  std::vector<Decoded> records;
  std::vector<ExtentHeader> extents;
  EncodeResult last;
  StreamCursor cursor;
  std::size_t output_bytes = 0;
};

// Encodes `ring` in extents of at most `out_bytes` and decodes them. Stops at anything except
// kOutputFull, kBeforeDrop, kBeforeMove and kSiteLimit.
inline RoundTrip round_trip(const SiteTable& sites, std::string_view ring, StreamCursor cursor = {},
                            std::size_t out_bytes = 1 << 20, std::uint64_t watermark = 0,
                            std::uint64_t consumer_tsc = 0) {
  ExtentEncoder encoder(sites);
  RoundTrip result;
  result.cursor = std::move(cursor);
  for (;;) {
    // A heap block of the exact size, so that a sanitizer reports any store past its end.
    Bytes out(out_bytes);
    const Bytes input(as_bytes(ring).begin(), as_bytes(ring).end());
    result.last = encoder.encode(input, result.cursor, watermark, consumer_tsc, out);
    if (result.last.output_bytes != 0) {
      result.output_bytes += result.last.output_bytes;
      result.extents.push_back(
          decode_block(std::span(out).first(result.last.output_bytes), sites, result.records));
    }
    ring.remove_prefix(result.last.consumed_bytes);
    const EncodeStop stop = result.last.stop;
    const bool again = stop == EncodeStop::kOutputFull || stop == EncodeStop::kBeforeDrop ||
                       stop == EncodeStop::kBeforeMove || stop == EncodeStop::kSiteLimit;
    if (!again) return result;
    if (result.last.consumed_bytes == 0) {
      ADD_FAILURE() << "no progress with " << ring.size() << " bytes left";
      return result;
    }
  }
}

inline void add_site(SiteTable& sites, const TestSite& site) {
  std::string why;
  ASSERT_TRUE(sites.add(site_entry(site), &why)) << why;
}

}  // namespace ringside::trace::testing

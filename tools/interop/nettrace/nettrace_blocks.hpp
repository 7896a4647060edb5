#pragma once
// Makes the objects of a NetTrace file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tools/interop/nettrace/nettrace_format.hpp"
#include "tools/interop/output_bytes.hpp"

namespace ringside::tool::nettrace {

template <class Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The body of a block of events, or of metadata records, with compressed headers.
class BlobBlock {
 public:
  BlobBlock() { clear(); }

  bool empty() const { return body_.size() == kBlockHeaderBytes; }
  std::size_t bytes() const { return body_.size(); }

  // Ignores blob.payload.
  void add(const Blob& blob, std::string_view payload) {
    if (body_.size() + kMostHeadBytes > body_.capacity()) body_.reserve(2 * body_.capacity());
    char head[kMostHeadBytes];
    char* at = head + 1;
    unsigned flags = blob.sorted ? kIsSorted : 0U;
    const auto varint = [&at](std::uint64_t number) {
      for (; number >= 0x80; number >>= 7) *at++ = static_cast<char>(number | 0x80);
      *at++ = static_cast<char>(number);
    };
    const auto guid = [&at](const Guid& value) {
      std::memcpy(at, value.data(), value.size());
      at += value.size();
    };
    if (blob.metadata_id != before_.metadata_id) {
      flags |= kHasMetadataId;
      varint(blob.metadata_id);
    }
    const std::uint32_t step = blob.sequence - before_.sequence - (blob.metadata_id != 0 ? 1U : 0U);
    if (step != 0 || blob.capture_thread != before_.capture_thread ||
        blob.processor != before_.processor) {
      flags |= kHasSequence;
      varint(step);
      varint(blob.capture_thread);
      varint(blob.processor);
    }
    if (blob.thread != before_.thread) {
      flags |= kHasThread;
      varint(blob.thread);
    }
    if (blob.stack_id != before_.stack_id) {
      flags |= kHasStack;
      varint(blob.stack_id);
    }
    varint(blob.timestamp - before_.timestamp);
    if (blob.activity != before_.activity) {
      flags |= kHasActivity;
      guid(blob.activity);
    }
    if (blob.related != before_.related) {
      flags |= kHasRelatedActivity;
      guid(blob.related);
    }
    if (payload.size() != before_.payload_bytes) {
      flags |= kHasPayloadBytes;
      varint(payload.size());
    }
    head[0] = static_cast<char>(flags);
    body_.append(head, static_cast<std::size_t>(at - head));
    body_ += payload;
    before_ = blob;
    before_.payload_bytes = static_cast<std::uint32_t>(payload.size());
    min_timestamp_ = std::min(min_timestamp_, blob.timestamp);
    max_timestamp_ = std::max(max_timestamp_, blob.timestamp);
  }

  // The body with its header; call clear() before the next add().
  std::string_view body() {
    std::string header;
    append_number(header, static_cast<std::uint16_t>(kBlockHeaderBytes));
    append_number(header, kBlockCompressed);
    append_number(header, min_timestamp_);
    append_number(header, max_timestamp_);
    body_.replace(0, header.size(), header);
    return body_;
  }

  void clear() {
    body_.assign(kBlockHeaderBytes, '\0');
    before_ = {};
    min_timestamp_ = UINT64_MAX;
    max_timestamp_ = 0;
  }

 private:
  static constexpr std::size_t kMostHeadBytes = 128;

  std::string body_;
  Blob before_;
  std::uint64_t min_timestamp_ = UINT64_MAX;
  std::uint64_t max_timestamp_ = 0;
};

class ObjectWriter {
 public:
  explicit ObjectWriter(OutputBytes& output) : output_(output) {}

  void begin_file(const TraceFacts& trace) {
    std::string head(kMagic);
    append_number(head, static_cast<std::uint32_t>(kSerialization.size()));
    head += kSerialization;
    append_type(head, kTraceType, kTraceVersion);
    for (const std::uint16_t part : trace.sync_time) append_number(head, part);
    append_number(head, trace.sync_qpc);
    append_number(head, trace.qpc_frequency);
    append_number(head, trace.pointer_bytes);
    append_number(head, trace.process_id);
    append_number(head, trace.processors);
    append_number(head, trace.sampling_rate);
    head += static_cast<char>(Tag::kEndObject);
    put(head);
  }

  void block(std::string_view type, std::string_view body) {
    std::string head;
    append_type(head, type, kBlockVersion);
    append_number(head, static_cast<std::uint32_t>(body.size()));
    head.append((4 - (position_ + head.size()) % 4) % 4, '\0');
    put(head);
    put(body);
    const char end = static_cast<char>(Tag::kEndObject);
    put({&end, 1});
  }

  void end_file() {
    const char end = static_cast<char>(Tag::kNullReference);
    put({&end, 1});
  }

 private:
  static void append_type(std::string& out, std::string_view type, std::int32_t version) {
    out += static_cast<char>(Tag::kBeginPrivateObject);
    out += static_cast<char>(Tag::kBeginPrivateObject);
    out += static_cast<char>(Tag::kNullReference);
    append_number(out, version);
    append_number(out, version);
    append_number(out, static_cast<std::uint32_t>(type.size()));
    out += type;
    out += static_cast<char>(Tag::kEndObject);
  }
  void put(std::string_view bytes) {
    output_.put(bytes);
    position_ += bytes.size();
  }

  OutputBytes& output_;
  std::uint64_t position_ = 0;
};

}  // namespace ringside::tool::nettrace

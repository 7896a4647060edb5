#pragma once
// Puts records in order of their begins, although a slice is complete only at its end.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/loss_cause.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/trace_builder.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::tool::perfetto {

struct RecordHead {
  std::uint32_t stream = 0;
  std::uint32_t site = 0;
  std::uint64_t unix_ns = 0;
  trace::RecordExtension extension;
};

// A slice that has not ended yet.
struct OpenSlice {
  std::uint32_t stream = 0;
  std::uint64_t number = 0;  // of the stream's records
};

// A stream's records wait for the enclosing slices. If too much waits, these slices are set aside,
// and come after the records that they enclose. Not thread-safe.
class RecordOrder {
 public:
  // Bytes of waiting records; the same limit applies to the slices that are set aside. Beyond it,
  // slices get no end.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  RecordOrder(TraceBuilder& builder, ConversionReport& report)
      : builder_(builder), report_(report) {}

  // `values`: in the form of TraceBuilder::put_values().
  void add(const RecordHead& head, std::string_view values) {
    if (is_empty(head.stream)) [[likely]]
      return give(head, values);
    wait(head, values, State::kWhole);
  }
  void add_loss(std::uint32_t stream, std::uint64_t unix_ns, std::uint64_t count,
                shm::LossCause cause);

  OpenSlice open(const RecordHead& head, std::string_view values) {
    wait(head, values, State::kOpen);
    return {head.stream, streams_[head.stream].end() - 1};
  }

  // The site of an open slice; 0 if the slice was abandoned.
  std::uint32_t site_of(const OpenSlice& slice);
  // Appends values to the slice, which then belongs to another site.
  void extend(const OpenSlice& slice, std::uint32_t site, std::string_view values);
  void close(const OpenSlice& slice, std::uint64_t unix_ns);

  // Slices that are still open get no end.
  void finish();

 private:
  enum class State : std::uint8_t { kWhole, kOpen, kLoss, kMoved };
  struct Waiting {
    RecordHead head;
    std::uint64_t count = 0;  // of a loss
    shm::LossCause cause = shm::LossCause::kUnknown;
    State state = State::kWhole;
    std::size_t values_at = 0;
    std::size_t values_bytes = 0;
  };
  struct Aside {
    RecordHead head;
    std::string values;
  };
  struct Stream {
    std::vector<Waiting> records;
    std::size_t first = 0;     // of the records that wait
    std::uint64_t before = 0;  // number of records that were removed before these
    std::string values;
    std::map<std::uint64_t, Aside> aside;
    std::size_t kept = 0;  // bytes of memory, while nothing waits

    std::uint64_t end() const { return before + records.size(); }
  };

  bool is_empty(std::uint32_t stream) const {
    return stream >= streams_.size() || streams_[stream].records.empty();
  }
  void wait(const RecordHead& head, std::string_view values, State state);
  void give(const RecordHead& head, std::string_view values) {
    builder_.begin(head.stream, head.site, head.unix_ns, head.extension);
    builder_.put_values(values);
    builder_.end();
  }
  void give_without_end(const RecordHead& head, std::string_view values);
  Waiting* waiting(const OpenSlice& slice);
  Aside* aside(const OpenSlice& slice);
  void drain(Stream& stream);
  void keep_memory(Stream& stream);
  void make_room();
  static void end_at(RecordHead& head, std::uint64_t unix_ns);

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::vector<Stream> streams_;
  std::size_t waiting_bytes_ = 0;
  std::size_t aside_bytes_ = 0;
  std::size_t kept_bytes_ = 0;
};

}  // namespace ringside::tool::perfetto

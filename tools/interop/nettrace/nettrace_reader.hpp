#pragma once
// Walks the objects of an EventPipe file.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/nettrace/nettrace_format.hpp"
#include "tools/interop/nettrace/nettrace_visitor.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool::nettrace {

// Of NetTrace and of NetPerf files.
class Reader {
 public:
  Reader(InputBytes& input, Visitor& visitor) : input_(input), visitor_(visitor) {}

  ReadOutcome read();

  // Files of versions 1 and 2 have another end, which counts too.
  bool ended_with_null_reference() const { return ended_; }
  std::uint64_t trailing_bytes() const { return trailing_bytes_; }

 private:
  // Memory: the largest event; longer blocks are read in windows.
  static constexpr std::size_t kWindowBytes = std::size_t{128} << 10;
  // Limit of an event, which is in memory as a whole, as is a stack; those of .NET have at most 100
  // KiB.
  static constexpr std::size_t kMostEventBytes = std::size_t{64} << 20;
  // How far the end of an object of an unknown type is searched before its size is trusted.
  static constexpr std::size_t kLookAheadBytes = std::size_t{1} << 20;

  bool read_file_header();
  bool read_objects();
  bool read_object();
  bool read_type(ObjectFacts& object);
  bool read_trace(ObjectFacts& object);
  bool read_block(ObjectFacts& object);
  bool pass_unknown(ObjectFacts& object);
  bool end_object(const ObjectFacts& object);
  void count_trailing_bytes();

  // nettrace_block_reading.cpp
  bool open_block(ObjectFacts& object);
  bool read_blobs(const ObjectFacts& object, bool metadata);
  bool read_netperf_blobs();
  // The events of version 1 or 2, and the end of the file.
  bool read_event_stream();
  template <class Decoder>
  bool read_events_of_block(Decoder& decoder, bool metadata);
  bool deliver(const Blob& blob, bool metadata);
  bool is_possible_event(std::size_t bytes);
  bool read_stacks();
  bool read_sequence_point();

  // The bytes of the block from here on, at least `wanted` of them or all that remain.
  std::span<const std::byte> window(std::size_t wanted);
  void advance(std::size_t bytes) {
    input_.skip(bytes);
    block_left_ -= bytes;
  }
  // The block or the file is too short for `what`.
  bool cut(std::string_view what);
  bool fail(std::uint64_t offset, std::string message);
  bool refuse(std::uint64_t offset, std::string message);
  void warn(std::string warning);

  InputBytes& input_;
  Visitor& visitor_;
  ReadOutcome outcome_;
  Tag begin_ = Tag::kBeginPrivateObject;  // of objects
  std::int32_t version_ = kTraceVersion;  // of the trace object
  bool has_trace_ = false;
  bool delivered_ = false;  // an event or a metadata record
  bool ended_ = false;
  std::uint64_t trailing_bytes_ = 0;
  std::uint64_t block_left_ = 0;
  std::map<std::string, std::uint64_t> unknown_;  // objects by type
};

// Whether the bytes begin a NetTrace file or a NetPerf file.
bool recognise(std::span<const std::byte> first_bytes);

}  // namespace ringside::tool::nettrace

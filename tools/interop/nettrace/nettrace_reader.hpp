#pragma once
// Walks the objects of a NetTrace file.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/nettrace/nettrace_format.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool::nettrace {

// Receives what the reader finds, in the order of the file. Arguments are valid during the call.
class Visitor {
 public:
  Visitor() = default;
  virtual ~Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  // Called for every object, known or not, once the size of its block has been read.
  virtual void object(const ObjectFacts& object) = 0;
  // Called before everything else. A returned text rejects the file.
  virtual std::string trace(const TraceFacts& trace) = 0;
  virtual void block(const BlockFacts& block) = 0;
  virtual void event(const Blob& blob) = 0;
  // A returned text is the error of the record and ends the reading.
  virtual std::string metadata(const Blob& blob) = 0;
  virtual void stack(std::uint32_t id, std::span<const std::byte> addresses) = 0;
  virtual void sequence_point(std::uint64_t timestamp, std::uint32_t threads) = 0;
  virtual void sequence_point_thread(std::uint64_t thread, std::uint32_t sequence) = 0;
  // Called after the last thread of a sequence point.
  virtual void sequence_point_end() = 0;
};

class Reader {
 public:
  Reader(InputBytes& input, Visitor& visitor) : input_(input), visitor_(visitor) {}

  ReadOutcome read();

  bool ended_with_null_reference() const { return ended_; }
  std::uint64_t trailing_bytes() const { return trailing_bytes_; }

 private:
  // Memory: the largest event; longer blocks are read in windows.
  static constexpr std::size_t kWindowBytes = std::size_t{128} << 10;
  // How far the end of an object of an unknown type is searched before its size is trusted.
  static constexpr std::size_t kLookAheadBytes = std::size_t{1} << 20;

  bool read_file_header();
  bool read_objects();
  bool read_object();
  bool read_type(ObjectFacts& object);
  bool read_trace(ObjectFacts& object);
  bool open_block(ObjectFacts& object);
  bool read_blobs(const ObjectFacts& object, bool metadata);
  bool read_stacks(const ObjectFacts& object);
  bool read_sequence_point(const ObjectFacts& object);
  bool pass_unknown(ObjectFacts& object);
  bool end_object(const ObjectFacts& object);
  void count_trailing_bytes();

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
  bool has_trace_ = false;
  bool delivered_ = false;  // an event or a metadata record
  bool ended_ = false;
  std::uint64_t trailing_bytes_ = 0;
  std::uint64_t block_left_ = 0;
  std::map<std::string, std::uint64_t> unknown_;  // objects by type
};

// Whether the bytes begin a NetTrace file or an older NetPerf file; the latter is rejected with a
// message.
bool recognise(std::span<const std::byte> first_bytes);

}  // namespace ringside::tool::nettrace

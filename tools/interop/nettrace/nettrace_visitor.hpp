#pragma once
// Receives the contents of an EventPipe file.

#include <cstdint>
#include <span>
#include <string>

#include "tools/interop/nettrace/nettrace_format.hpp"

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

}  // namespace ringside::tool::nettrace

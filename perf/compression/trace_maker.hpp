// Makes a trace file of records in memory, by the encoder that consumerd uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perf/compression/codecs.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::perf {

class TraceMaker {
 public:
  TraceMaker();

  // Returns the id of the statement.
  std::uint32_t add_site(const std::string& format, const std::vector<shm::FieldType>& types);

  // A record of the site; the arguments follow.
  void begin(std::uint64_t ticks, std::uint32_t site);
  template <class T>
  void number(T value) {
    ring_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    ring_ += value;
  }

  // The whole file. Encodes at most 64 KiB of ring bytes into each extent.
  const Bytes& finish();

  std::uint64_t records() const { return records_; }

 private:
  template <class Write>
  void put(Write&& write);

  trace::SiteTable sites_;
  std::string ring_;
  std::uint64_t first_ticks_ = 0;
  std::uint64_t records_ = 0;
  Bytes bytes_;
};

}  // namespace ringside::perf

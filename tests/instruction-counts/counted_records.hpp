#pragma once
// Records of one statement as they lie in a ring, the same in every run: what the counted encoder
// and decoder work on.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::test {

// What the fields of a statement hold.
enum class Values { kSame, kChanging };

class CountedRecords {
 public:
  // `values`: kChanging: each record's values differ from those of the record before it.
  CountedRecords(const std::vector<shm::FieldType>& types, Values values, std::uint32_t records) {
    shm::SiteDescription site;
    site.site_id = 5;
    site.format = "message";
    std::vector<shm::FieldDescription> fields(types.size());
    for (std::size_t i = 0; i < types.size(); ++i) fields[i].type = types[i];
    std::vector<std::byte> entry(shm::site_entry_bytes(site, fields));
    shm::write_site_entry(site, fields, entry.data());
    sites_.add(entry, nullptr);
    std::uint64_t tsc = kStartTsc;
    for (std::uint32_t i = 0; i < records; ++i) {
      tsc += 20 + i % 31;
      put(shm::make_head(tsc, site.site_id));
      for (const shm::FieldType type : types) {
        put_value(type, values == Values::kChanging ? next_number() : 4711);
      }
    }
    out_.resize(2 * ring_.size() + 4096);
  }

  trace::EncodeResult encode(trace::ExtentEncoder& encoder) {
    trace::StreamCursor cursor;
    cursor.last_tsc = kStartTsc;
    return encoder.encode(std::as_bytes(std::span(ring_)), cursor, 0, 0, out_);
  }

  const trace::SiteTable& sites() const { return sites_; }
  // What encode() wrote.
  std::span<const std::byte> out() const { return out_; }

 private:
  static constexpr std::uint64_t kStartTsc = 1U << 20;

  template <class T>
  void put(T value) {
    ring_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void put_value(shm::FieldType type, std::uint64_t number) {
    switch (type) {
      case shm::FieldType::u32:
        return put(static_cast<std::uint32_t>(number >> (number % 24)));
      case shm::FieldType::f64:
        return put(1 + static_cast<double>(number) * 0x1p-44);
      default:
        const std::string text = "basic+udp:host=192.168.1." + std::to_string(100 + number % 900);
        put(static_cast<std::uint32_t>(text.size()));
        ring_ += text;
    }
  }

  // Unordered numbers that are the same in every run and with every library.
  std::uint64_t next_number() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 20;
  }

  trace::SiteTable sites_;
  std::string ring_;
  std::vector<std::byte> out_;
  std::uint64_t state_ = 7;
};

}  // namespace ringside::test

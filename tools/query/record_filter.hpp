#pragma once
// Selects records, as far as each record must be checked for that.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "tools/query/event_filter.hpp"
#include "trace-format/query/scope.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool {

// For one thread; several may share the EventFilter, which must outlive them.
class RecordFilter final : public trace::query::RecordTest {
 public:
  explicit RecordFilter(const EventFilter& filter) : filter_(filter) {}

  void add_fields(const trace::Site& site, std::vector<std::uint16_t>& fields) override;
  // True for losses.
  bool wanted(const trace::Event& event) override;

 private:
  struct Key {
    const trace::Site* site = nullptr;
    const trace::Site* context = nullptr;  // of the context's statement; null: none
    std::uint32_t section = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      constexpr std::size_t kFactor = 0x9E3779B97F4A7C15;
      const std::hash<const void*> hash;
      return hash(key.site) ^ (hash(key.context) + key.section) * kFactor;
    }
  };
  static constexpr std::size_t kMostSites = 65'536;

  const EventFilter& filter_;
  std::unordered_map<Key, EventFilter::SiteDecision, KeyHash> sites_;
  Key last_;
  const EventFilter::SiteDecision* last_site_ = nullptr;  // for last_
  trace::TextSink text_;
};

}  // namespace ringside::tool

#pragma once
// Which events are wanted.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/filter_options.hpp"
#include "tools/regular_expression.hpp"
#include "tools/site_message.hpp"
#include "tools/where_condition.hpp"
#include "trace-format/read_options.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::tool {

// What can be decided by site or stream goes to the reader by read_options(), which refers to the
// filter and may be asked from any thread; wanted() is for one thread.
class EventFilter {
 public:
  // `now_ns` is what relative times count from. Null with `*why` if an option is not sound.
  static std::unique_ptr<EventFilter> make(const FilterOptions& options, std::uint64_t now_ns,
                                           bool utc, std::string* why);

  trace::ReadOptions read_options() const;

  // Whether wanted() says anything beyond what read_options() asks for.
  bool looks_at_events() const { return where_ || grep_; }
  bool wanted(const trace::Event& event);

  // Sites whose fields' types do not fit --where, a line each.
  std::vector<std::string> notes() const;

 private:
  struct PerSite {
    std::optional<SiteMessage> message;  // if its text is needed
    std::optional<WhereCondition> where;
    bool grep_decided = false;
    bool wanted = true;
  };
  struct Key {
    const trace::Site* site = nullptr;
    std::uint32_t section = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.site) ^ key.section * std::size_t{0x9E3779B97F4A7C15};
    }
  };
  static constexpr std::size_t kMostSites = 65'536;

  EventFilter() = default;
  bool wants_site(const trace::Site& site) const;
  bool wants_stream(const trace::StreamInfo& stream, const trace::SegmentInfo& segment) const;
  void prepare(const trace::Site& site, PerSite& of_site) const;
  std::optional<WhereCondition> condition_of(const trace::Site& site) const;

  FilterOptions options_;
  trace::ReadOptions times_;
  shm::Level least_level_ = shm::Level::kNone;
  std::optional<RegularExpression> grep_;
  std::optional<WhereExpression> where_;
  std::unordered_map<Key, PerSite, KeyHash> sites_;
  Key last_;
  PerSite* last_site_ = nullptr;  // of last_
  trace::TextSink text_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> notes_;
};

}  // namespace ringside::tool

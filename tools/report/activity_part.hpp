#pragma once
// Requests: the records of an activity across threads and processes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/report/open_activities.hpp"
#include "tools/report/record_objects.hpp"
#include "tools/report/report_part.hpp"

namespace ringside::tool {

// Keeps the slowest activities and the slowest ones with errors. Memory is bounded: kMostTracked
// activities are followed at a time; of more, the one without records for the longest time ends.
class ActivityPart final : public ReportPart {
 public:
  static constexpr std::size_t kMostTracked = 4'096;
  static constexpr std::size_t kMostKept = 60;  // slowest; and as many with errors
  static constexpr std::size_t kMostRows = 200;
  static constexpr std::size_t kMostIds = 16;
  static constexpr std::size_t kMostTextBytes = 1'000;  // of a value of an object
  // Of all activities that are followed or kept; beyond it, records have no objects.
  static constexpr std::size_t kMostObjectBytes = std::size_t{64} << 20;

  void add(const ReportEvent& event) override;

  // README.md, "activities". `level`: of SectionFitting.
  std::string document(const TimeGrid& grid, unsigned level);

 private:
  using Id = std::array<std::uint8_t, 16>;
  struct IdHash {
    std::size_t operator()(const Id& id) const;
  };
  struct Row {
    std::uint64_t unix_ns = 0;
    std::uint64_t duration_ns = kNoDuration;
    std::uint64_t sequence = 0;
    std::uint64_t substream = 0;
    std::uint64_t span = 0;  // the id of a span with two records; 0: none
    std::uint32_t pid = 0;   // ids of spans are those of a process
    std::uint32_t statement = 0;
    std::uint32_t stream = 0;
    std::uint32_t object = kNoObject;
    bool is_begin = false;
  };
  static constexpr std::uint64_t kNoDuration = UINT64_MAX;
  static constexpr std::uint32_t kNoObject = UINT32_MAX;

  struct Activity {
    std::vector<Id> ids;
    std::uint64_t begin_ns = UINT64_MAX;
    std::uint64_t end_ns = 0;
    std::uint64_t records = 0;
    std::uint64_t errors = 0;
    std::uint64_t left_out = 0;  // records beyond kMostRows
    std::vector<Row> rows;
    std::vector<std::string> objects;
    std::size_t object_bytes = 0;

    std::uint64_t duration_ns() const { return end_ns - begin_ns; }
  };
  using Tracked = std::list<Activity>;  // the one with the newest record at the front

  // A heap: the fastest at the front.
  class Slowest {
   public:
    bool wants(const Activity& activity) const;
    // `*fastest`: the one that is not among them any more. False if there is none.
    bool add(Activity activity, Activity* fastest);
    std::vector<Activity>& all() { return heap_; }

   private:
    std::vector<Activity> heap_;
  };

  static OpenActivities::Place place_of(const ReportEvent& event);
  void add_record_within_span(const ReportEvent& event);
  Activity& activity_of(const trace::Event& event);
  void link(const Id& id, Tracked::iterator activity);
  void end(Activity activity);
  void add_row(Activity& activity, const ReportEvent& event);
  static void remove_begins(Activity& activity);
  // What a level leaves of one.
  struct Detail {
    bool has_objects = true;
    std::size_t most_rows = kMostRows;
  };
  static std::string activity_json(Activity& activity, const char* reason, const Detail& detail,
                                   const TimeGrid& grid);

  Tracked tracked_;
  std::unordered_map<Id, Tracked::iterator, IdHash> by_id_;
  OpenActivities open_;
  Slowest slowest_;
  Slowest with_errors_;
  std::uint64_t activities_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t failed_ = 0;  // with errors
  std::size_t object_bytes_ = 0;
  RecordObjects objects_;
};

}  // namespace ringside::tool

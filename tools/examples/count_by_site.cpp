// How often each log statement ran: count_by_site PATH...

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "trace-format/query/groups.hpp"
#include "trace-format/query/visit.hpp"

using namespace ringside::trace::query;

namespace {

struct Count {
  std::uint64_t records = 0;
  void merge(const Count& other) { records += other.records; }
};

// Mergeable, so that several threads can each read a file.
struct CountBySite {
  Groups<Count> sites{{{KeyPartKind::kSite, 0, 1}}};
  void operator()(const RecordInfo& record) { ++sites.of(record).records; }
  void merge(const CountBySite& other) { sites.merge(other.sites); }
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  CountBySite count;
  const VisitResult result = visit_parallel(paths, SiteSelector::all(), {}, count, 2);
  if (!result.ok()) {
    std::fprintf(stderr, "count_by_site: %s\n", result.text().c_str());
    return 1;
  }
  for (const auto* group : count.sites.sorted()) {
    std::printf("%llu %s\n", static_cast<unsigned long long>(group->aggregate.records),
                group->key[0].text.c_str());
  }
  return 0;
}

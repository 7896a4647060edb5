// Sum and percentiles of one field, grouped by another: field_by_group 'SITE' FIELD GROUP PATH...

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/query/distribution.hpp"
#include "trace-format/query/groups.hpp"
#include "trace-format/query/summary.hpp"
#include "trace-format/query/visit.hpp"

using namespace ringside::trace::query;

namespace {

struct Totals {
  Summary<double> summary;
  Distribution distribution;
  void merge(const Totals& other) {
    summary.merge(other.summary);
    distribution.merge(other.distribution);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: field_by_group SITE FIELD GROUP PATH...\n");
    return 2;
  }
  const std::vector<std::string> paths(argv + 4, argv + argc);
  // The first name is the visitor's parameter; the second is read for the groups: the key part
  // refers to its index in this list.
  const std::array<std::string_view, 2> fields{argv[2], argv[3]};
  Groups<Totals> groups({{KeyPartKind::kField, 1, 1}});
  const VisitResult result = visit(paths, SiteSelector::text(argv[1]), fields,
                                   [&](const RecordInfo& record, AnyNumber number) {
                                     Totals& totals = groups.of(record);
                                     totals.summary.add(number.value);
                                     totals.distribution.add(number.value);
                                   });
  if (!result.ok()) {
    std::fprintf(stderr, "field_by_group: %s\n", result.text().c_str());
    return 1;
  }
  for (const auto* group : groups.sorted()) {
    const Totals& totals = group->aggregate;
    std::printf("%s count %llu sum %.17g p50 %.17g p99 %.17g\n", group->key[0].text.c_str(),
                static_cast<unsigned long long>(totals.summary.count()), totals.summary.sum(),
                totals.distribution.percentile(50), totals.distribution.percentile(99));
  }
  return 0;
}

// The time from one log statement to another for the same request, joined by the request's fields:
// request_latency 'SITE_A' 'SITE_B' FIELD[,FIELD] PATH...

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "trace-format/query/distribution.hpp"
#include "trace-format/query/gap.hpp"
#include "trace-format/query/summary.hpp"

using namespace ringside::trace::query;

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: request_latency SITE_A SITE_B FIELD[,FIELD] PATH...\n");
    return 2;
  }
  GapQuery query;
  query.from = SiteSelector::text(argv[1]);
  query.to = SiteSelector::text(argv[2]);
  const std::string fields = argv[3];
  for (std::size_t at = 0; at <= fields.size();) {
    const std::size_t end = std::min(fields.find(',', at), fields.size());
    query.by.push_back(fields.substr(at, end - at));
    at = end + 1;
  }
  const std::vector<std::string> paths(argv + 4, argv + argc);

  Summary<std::uint64_t> latency;
  Distribution distribution;
  const GapResult result = visit_gaps(paths, query, [&](const Gap& gap) {
    latency.add(gap.ns);
    distribution.add(static_cast<double>(gap.ns));
  });
  if (!result.ok()) {
    std::fprintf(stderr, "request_latency: %s\n", result.text().c_str());
    return 1;
  }
  std::printf("requests %llu\n", static_cast<unsigned long long>(result.counts.matched));
  std::printf("without an end %llu\n",
              static_cast<unsigned long long>(result.counts.unmatched_begins));
  std::printf("without a beginning %llu\n",
              static_cast<unsigned long long>(result.counts.unmatched_ends));
  std::printf("min_ns %llu\n", static_cast<unsigned long long>(latency.min()));
  for (const double percent : {50.0, 99.0, 99.9}) {
    std::printf("p%g_ns %.0f\n", percent, distribution.percentile(percent));
  }
  std::printf("max_ns %llu\n", static_cast<unsigned long long>(latency.max()));
  return 0;
}

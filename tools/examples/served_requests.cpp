// The requests served by the example service kvd as CSV, through a visitor with a parameter for
// each field: served_requests PATH...

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "trace-format/query/visit.hpp"

using namespace ringside::trace::query;

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  std::printf("unix_ns,thread,connection,request,service_us,queued_us\n");
  // The name of a field is the argument of the log statement.
  const VisitResult result = visit<"id_", "requests_", "service_us", "queued_us">(
      paths, SiteSelector::text("served in") && SiteSelector::file("connection.cpp"),
      [](const RecordInfo& record, std::uint64_t connection, std::uint64_t request,
         double service_us, double queued_us) {
        std::printf("%llu,%u,%llu,%llu,%.3f,%.3f\n",
                    static_cast<unsigned long long>(record.unix_ns), record.stream->thread_id,
                    static_cast<unsigned long long>(connection),
                    static_cast<unsigned long long>(request), service_us, queued_us);
      });
  if (!result.ok()) {
    std::fprintf(stderr, "served_requests: %s\n", result.text().c_str());
    return 1;
  }
  return 0;
}

// Reads a trace through the installed library: prints its records and the number of lost ones.
#include <iostream>
#include <string>
#include <vector>

#include <trace-format/trace_set.hpp>

int main(int argc, char** argv) {
  using namespace ringside::trace;
  ReadError error;
  auto set = TraceSet::open(std::vector<std::string>(argv + 1, argv + argc), &error);
  if (!set) {
    std::cerr << error.text() << '\n';
    return 1;
  }
  Event event;
  while (set->next(event)) {
    if (event.kind != EventKind::kRecord) continue;
    std::cout << event.unix_ns << ' ' << event.segment->service << ' ' << event.stream->thread_name
              << ' ' << event.record.site->format << ' ' << event.record.args[0].i64 << '\n';
  }
  const ReadReport& report = set->report();
  std::cout << report.records << " records, " << report.missing_records << " missing\n";
}

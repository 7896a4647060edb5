#pragma once
// What a collector reports to while it works.

#include "tools/interop/diagnostic_sink.hpp"
#include "tools/interop/live_publisher.hpp"

namespace ringside::tool {

struct CollectorContext {
  const DiagnosticSink& report_now;  // what is found out meanwhile
  LivePublisher& publisher;          // of the builder's records
};

}  // namespace ringside::tool

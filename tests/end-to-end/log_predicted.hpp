#pragma once
// Executes the log statement of a predicted record.

#include <ringside/ringside.hpp>

#include "tests/end-to-end/predicted_records.hpp"

namespace ringside::end_to_end {

inline void log_predicted(unsigned thread, std::uint64_t number) {
  const PredictedRecord r = predict(thread, number);
  switch (r.kind) {
#define RECORD(...) RS_INFO(__VA_ARGS__)
#include "tests/end-to-end/record_cases.inc"
#undef RECORD
    default:
      break;
  }
}

}  // namespace ringside::end_to_end

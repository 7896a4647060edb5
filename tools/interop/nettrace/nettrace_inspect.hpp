#pragma once
// `ringcat inspect` for a NetTrace file.

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool {

// JSON: schema nettrace-summary-1. CSV: the canonical line of each event, in order of time:
// timestamp,capture_thread,thread,seq,processor,stack_id,provider,event_id,payload_size,payload_crc32
ReadOutcome inspect_nettrace(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool

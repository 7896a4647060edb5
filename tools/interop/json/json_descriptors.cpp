#include "tools/interop/json/json_descriptors.hpp"

#include "tools/interop/json/chrome_format.hpp"
#include "tools/interop/json/chrome_writer.hpp"
#include "tools/interop/json/ndjson_format.hpp"
#include "tools/interop/viewers/line_writers.hpp"

namespace ringside::tool {

constinit const ForeignFormat kChromeFormat = {.name = "chrome",
                                               .description = "Chrome's trace events, JSON",
                                               .recognise = recognise_chrome,
                                               .read = read_chrome,
                                               .inspect = inspect_chrome,
                                               .draws_spans = true,
                                               .write = write_chrome};

constinit const ForeignFormat kNdJsonFormat = {.name = "ndjson",
                                               .description = "a JSON object a line",
                                               .recognise = recognise_ndjson,
                                               .read = read_ndjson,
                                               .inspect = inspect_ndjson,
                                               .carries_contexts = true,
                                               .forwards = true,
                                               .write = write_ndjson};

}  // namespace ringside::tool

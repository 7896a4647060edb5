#pragma once
// `ringcat stats PATH...`: records, bytes and losses by stream, statement and interval.

namespace ringside::tool {

int run_stats(int argc, char** argv);

}  // namespace ringside::tool

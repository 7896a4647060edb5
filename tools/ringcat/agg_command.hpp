#pragma once
// `ringcat agg SITE PATH...`: counts, sums and percentiles, by groups.

namespace ringside::tool {

int run_agg(int argc, char** argv);

}  // namespace ringside::tool

#pragma once
// `ringcat hist SITE PATH... --field F`: the distribution of a number.

namespace ringside::tool {

int run_hist(int argc, char** argv);

}  // namespace ringside::tool

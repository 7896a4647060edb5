#pragma once
// `ringcat hist SITE PATH... --field F`: how the values of a number are spread.

namespace ringside::tool {

int run_hist(int argc, char** argv);

}  // namespace ringside::tool

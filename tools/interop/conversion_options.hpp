#pragma once
// The options that name formats: --from of all that read traces, --to and -o of conversions.

#include <string>

#include "tools/interop/conversion.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

// `from` must outlive the parsing, which refuses what is no format.
void add_from_option(CLI::App& app, std::string& from);

void add_conversion_options(CLI::App& app, ConversionOptions& options);

// After the parsing; throws CLI::ValidationError if something is missing or does not fit together.
// `unfit`: options of printing were given that conversions do not have.
void check_conversion(const ConversionOptions& options, bool unfit);

}  // namespace ringside::tool

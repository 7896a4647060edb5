#pragma once
// The options that name formats: --from of every command that reads traces, --to and -o of
// conversions.

#include <string>

#include "tools/interop/conversion.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

// `from` must outlive the parsing, which rejects unknown formats.
void add_from_option(CLI::App& app, std::string& from);

void add_conversion_options(CLI::App& app, ConversionOptions& options);

// Called after the parsing; throws CLI::ValidationError if an option is missing or options
// conflict. `follow`, `tail`: the command line has these options.
void check_conversion(const ConversionOptions& options, bool follow, bool tail);

}  // namespace ringside::tool

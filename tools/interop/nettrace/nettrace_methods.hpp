#pragma once
// Collects the methods in the events of the .NET runtime.

#include <memory>
#include <span>
#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/method_names.hpp"

namespace ringside::tool::nettrace {

// Reads all of the traces, independent of any filter: methods are reported when they are compiled,
// and again at the end of a trace (rundown). A file that cannot be opened has none.
std::shared_ptr<const MethodsByProcess> read_methods(std::span<const std::string> paths,
                                                     ConversionReport& report);

}  // namespace ringside::tool::nettrace

#pragma once
// The descriptors of the two forms of TPTP traces.

#include "tools/interop/foreign_format.hpp"

namespace ringside::tool {

extern const ForeignFormat kTrcBinFormat;
extern const ForeignFormat kTrcXmlFormat;
extern const ForeignFormat kTrcBinTotalsFormat;
extern const ForeignFormat kTrcXmlTotalsFormat;

}  // namespace ringside::tool

#pragma once
// How `ringcat inspect` shows a file.

namespace ringside::tool {

enum class InspectStyle { kText, kJson, kCsv };

}  // namespace ringside::tool

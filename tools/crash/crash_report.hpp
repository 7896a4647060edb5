#pragma once
// The output of `ringcat crash`, as text and as JSON.

#include <span>
#include <string>

#include "tools/crash/process_story.hpp"
#include "tools/symbols/symboliser.hpp"

namespace ringside::tool {

// Texts of the trace are made visible.
std::string crash_as_text(const ProcessStory& story, Symboliser& symboliser, bool utc);

// One object in one line; tools/README.md describes it. The lines of the story are JSON objects.
std::string crash_as_json(const ProcessStory& story, Symboliser& symboliser);

}  // namespace ringside::tool

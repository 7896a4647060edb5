#pragma once
// `ringcat spans PATH...`: the spans of each thread as a tree, and those without an end.

namespace ringside::tool {

int run_spans(int argc, char** argv);

}  // namespace ringside::tool

#pragma once
// `ringcat report PATH...`: one HTML page of a trace, or its data as JSON.

namespace ringside::tool {

int run_report(int argc, char** argv);

}  // namespace ringside::tool

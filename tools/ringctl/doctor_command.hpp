#pragma once
// ringctl doctor: problems that impair tracing, and their remedies.

namespace ringside::tool {

int run_doctor(int argc, char** argv);

}  // namespace ringside::tool

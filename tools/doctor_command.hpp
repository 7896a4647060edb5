#pragma once
// ringctl doctor: what keeps tracing from working well, and what to do about it.

namespace ringside::tool {

int run_doctor(int argc, char** argv);

}  // namespace ringside::tool

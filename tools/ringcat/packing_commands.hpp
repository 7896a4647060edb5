#pragma once
// `ringcat pack FILE...` and `ringcat unpack FILE...`.

namespace ringside::tool {

int run_pack(int argc, char** argv);
int run_unpack(int argc, char** argv);

}  // namespace ringside::tool

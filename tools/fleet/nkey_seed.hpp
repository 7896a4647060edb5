#pragma once
// nkeys: Ed25519 keys of NATS users, written in base32.

#include <string>

namespace ringside::fleet {

// The public key ("U...") of the user seed ("SU...") in a file: the library needs both. Empty with
// `*why` if the file contains none.
std::string nkey_of_seed_file(const std::string& path, std::string* why);

}  // namespace ringside::fleet

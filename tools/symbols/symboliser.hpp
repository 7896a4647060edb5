#pragma once
// Functions and source lines of addresses, from ELF files and their debug information.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/symbols/mapped_code.hpp"

namespace ringside::tool {

// A function, and a place in it. Members are empty or 0 if they are unknown.
struct CodePlace {
  std::string function;  // demangled
  std::string file;
  int line = 0;
  bool is_inlined = false;  // into the next one
};

class ElfModule;

// Keeps the files open that it has used. Not thread-safe.
class Symboliser {
 public:
  Symboliser();
  ~Symboliser();
  Symboliser(const Symboliser&) = delete;
  Symboliser& operator=(const Symboliser&) = delete;

  // The function of the instruction at `address` and, before it, those that were inlined there,
  // innermost first. Empty if no file with the build id of `code` is here, or if it does not have
  // the function. Any bytes in files are harmless, as far as libdw checks them.
  std::vector<CodePlace> places_of(const MappedCode& code, std::uint64_t address);

 private:
  // By build id and path; null: there is no such file.
  std::map<std::pair<std::string, std::string>, std::unique_ptr<ElfModule>> modules_;
};

// "service+0x12a4": what is known without the file.
std::string offset_text(const MappedCode& code, std::uint64_t address);

}  // namespace ringside::tool

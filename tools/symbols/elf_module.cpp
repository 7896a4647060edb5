#include "tools/symbols/elf_module.hpp"

#include <cstdlib>
#include <cstring>
#include <dwarf.h>
#include <gelf.h>
#include <unistd.h>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "tools/symbols/demangled_name.hpp"
#include "tools/symbols/identified_file.hpp"

namespace ringside::tool {
namespace {

std::string hexadecimal(const unsigned char* bytes, int count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

// For libdwfl: the file with the debug information. Its own search would ask servers.
int find_debug_file(Dwfl_Module* module, void**, const char*, Dwarf_Addr, const char*, const char*,
                    GElf_Word, char** found_path) {
  const unsigned char* bytes = nullptr;
  GElf_Addr note = 0;
  const int count = dwfl_module_build_id(module, &bytes, &note);
  if (count <= 0) return -1;
  const std::string build_id = hexadecimal(bytes, count);
  std::string found;
  const int file = open_identified(debug_paths(build_id), build_id, &found);
  if (file >= 0) *found_path = strdup(found.c_str());
  return file;
}

char* no_search_path = nullptr;
constexpr Dwfl_Callbacks kCallbacks = {nullptr, find_debug_file, dwfl_offline_section_address,
                                       &no_search_path};

// What malloc() gave.
struct Scopes {
  Dwarf_Die* dies = nullptr;
  int count = 0;
  Scopes() = default;
  ~Scopes() { std::free(dies); }
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
};

std::string function_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    const char* const text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
    if (text != nullptr) return demangled_function(text);
  }
  return {};
}

std::uint64_t number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr(die, name, &attribute), &number) != 0) return 0;
  return number;
}

std::string call_file(Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const std::uint64_t index = number_of(inlined, DW_AT_call_file);
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return {};
  const char* const name = dwarf_filesrc(files, index, nullptr, nullptr);
  return name != nullptr ? name : "";
}

// The function at `address` and those inlined there. `places` has the innermost place, without a
// name, and gets the others.
void add_functions(Dwarf_Die* unit, std::uint64_t address, std::vector<CodePlace>* places) {
  Scopes lexical;
  Scopes physical;
  lexical.count = dwarf_getscopes(unit, address, &lexical.dies);
  if (lexical.count <= 0) return;
  physical.count = dwarf_getscopes_die(&lexical.dies[0], &physical.dies);
  for (int i = 0; i < physical.count; ++i) {
    Dwarf_Die* const die = &physical.dies[i];
    const int tag = dwarf_tag(die);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
    places->back().function = function_name(die);
    if (tag == DW_TAG_subprogram) return;
    places->back().is_inlined = true;
    places->push_back(
        {{}, call_file(unit, die), static_cast<int>(number_of(die, DW_AT_call_line)), false});
  }
}

}  // namespace

std::unique_ptr<ElfModule> ElfModule::open(const MappedCode& code) {
  std::string path;
  int file = open_identified(code_paths(code.path, code.build_id), code.build_id, &path);
  if (file < 0) file = open_identified(debug_paths(code.build_id), code.build_id, &path);
  if (file < 0) return nullptr;
  Dwfl* const session = dwfl_begin(&kCallbacks);
  if (session == nullptr) {
    close(file);
    return nullptr;
  }
  // Takes the descriptor if it succeeds.
  Dwfl_Module* const module = dwfl_report_offline(session, "", path.c_str(), file);
  if (module == nullptr) close(file);
  dwfl_report_end(session, nullptr, nullptr);
  std::unique_ptr<ElfModule> opened(new ElfModule(session, module));
  return module != nullptr ? std::move(opened) : nullptr;
}

ElfModule::~ElfModule() {
  dwfl_end(session_);
}

// libdwfl places the file at an address of its own.
std::optional<std::uint64_t> ElfModule::address_in_session(const MappedCode& code,
                                                           std::uint64_t address) const {
  GElf_Addr bias = 0;
  Elf* const elf = dwfl_module_getelf(module_, &bias);
  std::size_t count = 0;
  if (elf == nullptr || elf_getphdrnum(elf, &count) != 0) return std::nullopt;
  const std::uint64_t offset = address - code.begin + code.offset;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) return std::nullopt;
    if (segment.p_type != PT_LOAD) continue;
    // A file with only debug information has no bytes of code, but the addresses.
    if (code.base != 0) return address - code.base + segment.p_vaddr - segment.p_offset + bias;
    if (offset - segment.p_offset < segment.p_filesz) {
      return offset - segment.p_offset + segment.p_vaddr + bias;
    }
  }
  return std::nullopt;
}

std::vector<CodePlace> ElfModule::places_of(const MappedCode& code, std::uint64_t address) const {
  const auto in_session = address_in_session(code, address);
  if (!in_session) return {};
  std::vector<CodePlace> places(1);
  if (Dwfl_Line* const line = dwfl_module_getsrc(module_, *in_session); line != nullptr) {
    const char* const file =
        dwfl_lineinfo(line, nullptr, &places[0].line, nullptr, nullptr, nullptr);
    if (file != nullptr) places[0].file = file;
  }
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module_, *in_session, &bias); unit != nullptr) {
    add_functions(unit, *in_session - bias, &places);
  }
  // With little debug information, only the symbol has the scopes and arguments of the function.
  GElf_Off distance = 0;
  GElf_Sym symbol;
  const char* const name =
      dwfl_module_addrinfo(module_, *in_session, &distance, &symbol, nullptr, nullptr, nullptr);
  const bool is_mangled = name != nullptr && std::strncmp(name, "_Z", 2) == 0;
  if (is_mangled || (name != nullptr && places.back().function.empty())) {
    places.back().function = demangled_function(name);
  }
  if (places.back().function.empty() && places.back().file.empty()) places.pop_back();
  return places;
}

}  // namespace ringside::tool

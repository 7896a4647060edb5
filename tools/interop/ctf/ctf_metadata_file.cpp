// The file `metadata`: text, or packets of text as LTTng writes them.

#include <cstring>

#include "tools/interop/ctf/ctf_metadata.hpp"
#include "tools/interop/ctf/ctf_names.hpp"

namespace ringside::tool::ctf {
namespace {

constexpr std::size_t kHeadBytes = 37;
constexpr std::size_t kContentAt = 24;
constexpr std::size_t kPacketAt = 28;
constexpr std::size_t kSchemesAt = 32;  // compression, encryption, checksum

std::uint32_t number_at(std::string_view bytes, std::size_t at, bool swapped) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return swapped ? __builtin_bswap32(number) : number;
}

bool has_magic(std::string_view bytes, bool* swapped) {
  if (bytes.size() < 4) return false;
  *swapped = number_at(bytes, 0, true) == kMetadataPacketMagic;
  return *swapped || number_at(bytes, 0, false) == kMetadataPacketMagic;
}

}  // namespace

bool is_metadata(std::string_view first_bytes) {
  bool swapped = false;
  return first_bytes.starts_with("/* CTF 1.") || has_magic(first_bytes, &swapped) ||
         (is_json_metadata(first_bytes) && first_bytes.find('{') != std::string_view::npos);
}

bool metadata_text(std::string_view file, std::string* tsdl, MetadataError* error) {
  bool swapped = false;
  if (!has_magic(file, &swapped)) {
    *tsdl = file;
    return true;
  }
  tsdl->clear();
  for (std::size_t at = 0; at < file.size();) {
    const std::string_view packet = file.substr(at);
    error->offset = at;
    const bool known = has_magic(packet, &swapped);
    if (!known || packet.size() < kHeadBytes) {
      error->message = "not a packet of metadata";
      return false;
    }
    const std::size_t content = number_at(packet, kContentAt, swapped) / 8;
    const std::size_t size = number_at(packet, kPacketAt, swapped) / 8;
    if (content < kHeadBytes || content > size || content > packet.size()) {
      error->message = "a packet of metadata with an invalid size";
      return false;
    }
    if (packet[kSchemesAt] != 0 || packet[kSchemesAt + 1] != 0) {
      error->message = "compressed or encrypted metadata is not supported";
      return false;
    }
    *tsdl += packet.substr(kHeadBytes, content - kHeadBytes);
    at += size;
  }
  return true;
}

}  // namespace ringside::tool::ctf

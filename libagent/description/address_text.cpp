// The texts of IP addresses and socket addresses, as inet_ntop() makes them. That function is not
// documented as safe in signal handlers, and formats with snprintf().

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "libagent/include/ringside/address.hpp"

namespace ringside {
namespace {

class AddressWriter {
 public:
  explicit AddressWriter(char* out) : begin_(out), at_(out) {}

  void add(std::string_view text) {
    // The longest address fits (address.hpp); a write beyond it must not happen in any case.
    const auto free = static_cast<std::size_t>(begin_ + RS_ADDRESS_TEXT_BYTES - at_);
    at_ = std::copy_n(text.begin(), std::min(text.size(), free), at_);
  }
  void add(std::uint32_t number, int base = 10) {
    at_ = std::to_chars(at_, begin_ + RS_ADDRESS_TEXT_BYTES, number, base).ptr;
  }

  void add_ipv4(const unsigned char* bytes) {
    for (int i = 0; i < 4; ++i) {
      if (i > 0) add(".");
      add(std::uint32_t{bytes[i]});
    }
  }

  void add_ipv6(const in6_addr& address) {
    const unsigned char* const bytes = static_cast<const unsigned char*>(address.s6_addr);
    std::array<std::uint32_t, 8> groups{};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i] = std::uint32_t{bytes[2 * i]} << 8 | bytes[2 * i + 1];
    }
    const Zeros zeros = longest_zeros(groups);
    const bool is_ipv4 =
        zeros.begin == 0 && (zeros.count == 6 || (zeros.count == 5 && groups[5] == 0xFFFF));
    const std::size_t end = is_ipv4 ? 6 : groups.size();
    for (std::size_t i = 0; i < end;) {
      if (i == zeros.begin && zeros.count > 1) {
        add("::");
        i += zeros.count;
        continue;
      }
      if (i > 0 && i != zeros.begin + zeros.count) add(":");
      add(groups[i++], 16);
    }
    if (!is_ipv4) return;
    if (end != zeros.count) add(":");
    add_ipv4(bytes + 12);
  }

  std::uint32_t length() const { return static_cast<std::uint32_t>(at_ - begin_); }

 private:
  struct Zeros {
    std::size_t begin = 8;
    std::size_t count = 0;
  };

  // The first of the longest runs of at least two.
  static Zeros longest_zeros(const std::array<std::uint32_t, 8>& groups) {
    Zeros longest;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::size_t count = 0;
      while (i + count < groups.size() && groups[i + count] == 0) ++count;
      if (count > 1 && count > longest.count) longest = {i, count};
      i += count;
    }
    return longest;
  }

  char* begin_;
  char* at_;
};

template <class T>
bool copy_address(const void* address, std::uint32_t bytes, T& out) {
  if (bytes < sizeof out) return false;
  std::memcpy(&out, address, sizeof out);
  return true;
}

void add_unix(AddressWriter& writer, const void* address, std::uint32_t bytes) {
  sockaddr_un copy{};
  std::memcpy(&copy, address, std::min<std::size_t>(bytes, sizeof copy));
  const std::size_t most =
      std::min<std::size_t>(bytes, sizeof copy) - offsetof(sockaddr_un, sun_path);
  const char* const path = static_cast<const char*>(copy.sun_path);
  writer.add("unix:");
  if (most > 1 && path[0] == '\0' && path[1] != '\0') {
    writer.add("@");
    writer.add({path + 1, strnlen(path + 1, most - 1)});
  } else {
    writer.add({path, strnlen(path, most)});
  }
}

void add_socket_address(AddressWriter& writer, const void* address, std::uint32_t bytes) {
  sa_family_t family = AF_UNSPEC;
  copy_address(address, bytes, family);
  sockaddr_in ipv4{};
  sockaddr_in6 ipv6{};
  if (family == AF_INET && copy_address(address, bytes, ipv4)) {
    writer.add_ipv4(reinterpret_cast<const unsigned char*>(&ipv4.sin_addr));
    writer.add(":");
    writer.add(std::uint32_t{ntohs(ipv4.sin_port)});
  } else if (family == AF_INET6 && copy_address(address, bytes, ipv6)) {
    writer.add("[");
    writer.add_ipv6(ipv6.sin6_addr);
    if (ipv6.sin6_scope_id != 0) {
      writer.add("%");
      writer.add(ipv6.sin6_scope_id);
    }
    writer.add("]:");
    writer.add(std::uint32_t{ntohs(ipv6.sin6_port)});
  } else if (family == AF_UNIX) {
    add_unix(writer, address, bytes);
  } else {
    writer.add("family ");
    writer.add(std::uint32_t{family});
  }
}

}  // namespace
}  // namespace ringside

std::uint32_t rs_address_text(char* out, const void* address, std::uint32_t bytes,
                              rs_address_form form) noexcept {
  ringside::AddressWriter writer(out);
  if (address == nullptr) {
    writer.add(ringside::detail::kNullText);
  } else if (form == RS_ADDRESS_IPV4) {
    writer.add_ipv4(static_cast<const unsigned char*>(address));
  } else if (form == RS_ADDRESS_IPV6) {
    in6_addr copy{};
    std::memcpy(&copy, address, sizeof copy);
    writer.add_ipv6(copy);
  } else {
    ringside::add_socket_address(writer, address, bytes);
  }
  return writer.length();
}

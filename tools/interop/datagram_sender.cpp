#include "tools/interop/datagram_sender.hpp"

#include <cerrno>
#include <poll.h>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>

namespace ringside::tool {
namespace {

// 65535 less the headers of UDP, and of IPv4, which are part of the 65535 there.
constexpr std::size_t kMostBytesV4 = 65535 - 8 - 20;
constexpr std::size_t kMostBytesV6 = 65535 - 8;
// How long a full buffer of the system's is waited for at a time.
constexpr int kFullMs = 1;
// How often an error that an earlier datagram caused may interrupt one send.
constexpr int kMostRefusals = 4;

}  // namespace

DatagramSender::DatagramSender(std::string address, FirstPacket first_packet, Socket socket,
                               std::size_t most_bytes)
    : address_(std::move(address)),
      first_packet_(first_packet),
      socket_(std::move(socket)),
      most_bytes_(most_bytes) {}

std::unique_ptr<DatagramSender> DatagramSender::connect(const std::string& address,
                                                        FirstPacket first_packet,
                                                        std::string* error) {
  const AddressList resolved = resolve_endpoint(address, 0, error);
  if (resolved == nullptr) return nullptr;
  int code = 0;
  std::size_t most_bytes = kMostBytesV4;
  auto socket = first_usable(resolved, 0, &code, [&most_bytes](int fd, const addrinfo& a) {
    if (a.ai_family == AF_INET6) most_bytes = kMostBytesV6;
    return ::connect(fd, a.ai_addr, a.ai_addrlen) == 0 ? 0 : errno;
  });
  if (socket) {
    return std::unique_ptr<DatagramSender>(
        new DatagramSender(address, first_packet, std::move(*socket), most_bytes));
  }
  *error = address + ": cannot send there: " + socket_reason(code) + "; check host and port";
  return nullptr;
}

bool DatagramSender::write(std::span<const std::byte> bytes) {
  begun_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string_view left = begun_;
  while (error_ == 0) {
    const PacketFacts packet = first_packet_(left);
    if (packet.bytes == 0 || packet.bytes > left.size()) break;
    const std::string_view whole = left.substr(0, packet.bytes);
    left.remove_prefix(packet.bytes);
    const auto now = std::chrono::steady_clock::now();
    const bool is_due = since_repeated_ == kRepeatAfter || now - repeated_at_ >= kRepeatAfterTime;
    if (packet.is_repeated) {
      repeated_ = whole;
    } else if (is_due && !repeated_.empty()) {
      send(repeated_);
    }
    if (packet.is_repeated || is_due) {
      since_repeated_ = 0;
      repeated_at_ = now;
    }
    ++since_repeated_;
    send(whole);
  }
  begun_.erase(0, begun_.size() - left.size());
  return error_ == 0;
}

bool DatagramSender::send(std::string_view packet) {
  if (packet.size() > most_bytes_) {
    ++too_large_;
    return true;
  }
  for (int refusals = 0; error_ == 0;) {
    if (::send(socket_.fd(), packet.data(), packet.size(), MSG_NOSIGNAL) >= 0) {
      ++sent_;
      return true;
    }
    switch (errno) {
      case EINTR:
        break;
      case ECONNREFUSED:
        // An earlier datagram's; this one was not sent.
        ++refused_;
        if (++refusals == kMostRefusals) return true;
        break;
      case EMSGSIZE:
        ++too_large_;
        return true;
      case ENOBUFS:
      case EAGAIN:
        ::poll(nullptr, 0, kFullMs);
        break;
      default:
        error_ = errno;
    }
  }
  return false;
}

bool DatagramSender::finish(ConversionReport& report, std::string* error) {
  int pending = 0;
  socklen_t bytes = sizeof pending;
  ::getsockopt(socket_.fd(), SOL_SOCKET, SO_ERROR, &pending, &bytes);
  if (pending == ECONNREFUSED) ++refused_;
  if (too_large_ != 0) {
    report.lost(fmt::format("are left out: their packets exceed {} bytes, which is the most that a "
                            "datagram holds; send them to tcp://",
                            most_bytes_),
                too_large_);
  }
  if (error_ != 0) {
    *error = address_ + ": cannot send: " + socket_reason(error_) +
             "; data sent before may have arrived";
  } else if (refused_ != 0) {
    *error = fmt::format(
        "{}: {} of {} datagrams or more were refused: nothing listens there; check that the "
        "receiver is running",
        address_, refused_, sent_);
  }
  return error_ == 0 && refused_ == 0;
}

}  // namespace ringside::tool

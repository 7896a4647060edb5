#include "tools/interop/heph/heph_datagrams.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace ringside::tool::heph {
namespace {

using Clock = std::chrono::steady_clock;

// Invalid datagrams that are reported at once; further ones are only counted.
constexpr std::uint64_t kMostReported = 10;

}  // namespace

std::string host_of(const std::string& sender) {
  std::string host = sender.substr(0, sender.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

PacketFacts first_packet_facts(std::string_view bytes) {
  Packet packet;
  std::string why;
  parse_packet(std::as_bytes(std::span(bytes)), packet, &why);
  return {packet.size, packet.is_epoch};
}

class DatagramImport::Source final : public DatagramSource {
 public:
  Source(DatagramImport& all, std::string name) : all_(all) {
    source_.is_reordered = true;
    source_.host = host_of(name);
    source_.name = std::move(name);
  }

  void take(std::span<const std::byte> datagram) override {
    if (datagram.empty()) return all_.reject(source_.name, "it is empty");
    Packet packet;
    std::string why;
    for (; !datagram.empty(); datagram = datagram.subspan(packet.size)) {
      const Step step = parse_packet(datagram, packet, &why);
      const bool is_cut = (step == Step::kDamaged && why.empty()) || packet.size > datagram.size();
      if (is_cut) {
        ++all_.cut_;
        return;
      }
      if (step == Step::kDamaged) return all_.reject(source_.name, why);
      if (step == Step::kBad) {
        all_.events_.take_bad();
      } else {
        take(packet, datagram.first(packet.size));
      }
    }
  }

  bool passes_time() override {
    if (!waiting_.empty() && Clock::now() - first_ >= kMostEpochWait) stop_waiting();
    return !waiting_.empty();
  }

  void end() override {
    stop_waiting();
    all_.events_.end_numbers(source_);
  }

 private:
  void take(const Packet& packet, std::span<const std::byte> bytes) {
    if (packet.is_event && !source_.has_epoch && !stopped_waiting_) {
      const bool has_room = waiting_.size() + bytes.size() <= kMostWaitingBytes &&
                            all_.waiting_bytes_ + bytes.size() <= kMostWaitingBytesOfAll;
      if (has_room) {
        if (waiting_.empty()) first_ = Clock::now();
        waiting_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        all_.waiting_bytes_ += bytes.size();
        return;
      }
      stop_waiting();
    }
    all_.events_.take(packet, source_);
    if (packet.is_event && !source_.has_epoch) ++all_.without_epoch_;
    if (packet.is_epoch && !waiting_.empty()) stop_waiting();
  }

  // With the epoch that is known by now.
  void stop_waiting() {
    stopped_waiting_ = true;
    const std::string held = std::exchange(waiting_, {});
    all_.waiting_bytes_ -= held.size();
    Packet packet;
    std::string why;
    for (auto left = std::as_bytes(std::span(held)); !left.empty();
         left = left.subspan(packet.size)) {
      parse_packet(left, packet, &why);
      all_.events_.take(packet, source_);
      if (!source_.has_epoch) ++all_.without_epoch_;
    }
  }

  DatagramImport& all_;
  TraceSource source_;
  std::string waiting_;  // events before the epoch
  Clock::time_point first_;
  bool stopped_waiting_ = false;
};

std::unique_ptr<DatagramSource> DatagramImport::begin(const std::string& sender) {
  return std::make_unique<Source>(*this, sender);
}

void DatagramImport::reject(const std::string& sender, const std::string& why) {
  if (++invalid_ > kMostReported) return;
  report_now_(
      note(fmt::format("{}: a datagram is not Heph and is left out: {}{}", sender, why,
                       invalid_ == kMostReported ? "; further ones are only counted" : "")));
}

void DatagramImport::finish(ReadOutcome& outcome) {
  events_.warn(outcome);
  const auto warn = [&outcome](std::uint64_t count, std::string_view what) {
    if (count != 0) outcome.warnings.push_back(fmt::format("{} {}", count, what));
  };
  warn(invalid_, "datagrams were not Heph, in whole or from some byte on");
  warn(cut_, "datagrams ended within a packet, which is left out");
  warn(without_epoch_,
       "events came without an epoch: their times count from the beginning of 1970");
}

}  // namespace ringside::tool::heph

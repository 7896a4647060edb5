#pragma once
// Snapshots of a fleet, on the side of one host: what it knows is sent, and nothing else
// (README.md, "Snapshots").

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/fleet/record_selection.hpp"
#include "tools/fleet/shipper.hpp"
#include "tools/fleet/snapshot_request.hpp"

namespace ringside::fleet {

struct HostSnapshotOptions {
  std::string directory;           // of what is under way; a restart continues it
  std::string shm_dir;             // of the segments
  std::vector<std::string> paths;  // directories of trace files
  std::string host;                // its name in answers
  ShipperOptions shipper;
};

// Not thread-safe. What it refers to must outlive it.
class HostSnapshots {
 public:
  using NowMs = Shipper::NowMs;
  using Complain = Shipper::Complain;
  // A queue for one snapshot; null with `*why`.
  using OpenQueue = std::function<std::unique_ptr<PublishQueue>(std::string* why)>;
  using Answer = std::function<void(const std::string& to, const FleetSnapshotAnswer& answer)>;

  // Continues what an earlier process left.
  HostSnapshots(HostSnapshotOptions options, OpenQueue open_queue, Answer answer, NowMs now_ms,
                Complain complain);
  ~HostSnapshots();

  // Begins the snapshot, unless it is known: a request can be repeated, and is answered each time.
  void take(const FleetSnapshotRequest& request, const std::string& answer_to);
  // Goes on with all.
  void step();
  // Whether the next step() has work now.
  bool is_busy() const;

  std::uint64_t taken() const { return taken_; }

 private:
  struct Running;

  void continue_left();
  void begin(const FleetSnapshotRequest& request, const std::string& answer_to);
  bool prepare(Running& running, std::string* why);
  void end(Running& running, const std::string& error);

  const HostSnapshotOptions options_;
  const OpenQueue open_queue_;
  const Answer answer_;
  const NowMs now_ms_;
  const Complain complain_;
  std::list<Running> running_;
  std::map<std::string, FleetSnapshotAnswer> known_;  // by id
  std::uint64_t taken_ = 0;
};

}  // namespace ringside::fleet

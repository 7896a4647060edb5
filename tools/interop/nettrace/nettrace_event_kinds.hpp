#pragma once
// The types of events of an EventPipe file, by the ids of their metadata.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "tools/interop/nettrace/nettrace_event_kind.hpp"

namespace ringside::tool::nettrace {

class EventKinds {
 public:
  EventKinds() {
    unknown_.metadata.event_name = "event of an unknown type";
    unknown_.is_described = false;
  }

  // unknown() if the file has not described the type. Valid until put() replaces it.
  EventKind& of(std::uint32_t metadata_id) {
    if (last_ != nullptr && last_id_ == metadata_id) return *last_;
    const auto found = kinds_.find(metadata_id);
    last_id_ = metadata_id;
    last_ = found == kinds_.end() ? &unknown_ : found->second.get();
    return *last_;
  }
  const EventKind& unknown() const { return unknown_; }

  // Returns the previous type with this id, if there was one.
  std::unique_ptr<EventKind> put(std::unique_ptr<EventKind> kind) {
    last_ = nullptr;
    return std::exchange(kinds_[kind->metadata.id], std::move(kind));
  }

 private:
  std::unordered_map<std::uint32_t, std::unique_ptr<EventKind>> kinds_;
  EventKind unknown_;
  std::uint32_t last_id_ = 0;
  EventKind* last_ = nullptr;
};

}  // namespace ringside::tool::nettrace

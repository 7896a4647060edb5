#include "tools/interop/spilled_text.hpp"

#include <span>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool {

void SpilledText::spill() {
  if (file_ == nullptr && failure_.empty()) file_ = OutputFile::create_unnamed(&failure_);
  if (file_ != nullptr) file_->write(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void SpilledText::move_to(OutputBytes& output) {
  if (file_ != nullptr) {
    const std::string path = file_->readable_path(&failure_);
    const auto spilled = path.empty() ? nullptr : InputBytes::open(path, &failure_);
    while (spilled != nullptr && !spilled->at_end()) {
      const auto bytes = spilled->peek(1);
      output.put(bytes);
      spilled->skip(bytes.size());
    }
    file_.reset();
  }
  output.put(buffer_);
  buffer_.clear();
  if (!failure_.empty()) output.fail(failure_);
}

}  // namespace ringside::tool

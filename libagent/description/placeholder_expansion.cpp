#include "libagent/description/placeholder_expansion.hpp"

#include <algorithm>
#include <utility>

#include "libagent/description/part_names.hpp"
#include "shm-layout/brace_parser.hpp"

namespace ringside {
namespace {

class PlaceholderExpansion {
 public:
  PlaceholderExpansion(std::string_view format, std::span<const ExpandedArgument> arguments,
                       std::pmr::memory_resource& memory)
      : format_(format), arguments_(arguments), parser_(format), result_(&memory) {
    result_.reserve(2 * format.size() + 4096);
  }

  std::pmr::string expanded() {
    shm::BraceArgument taken;
    shm::BraceSpec spec;
    std::size_t copied = 0;
    while (parser_.next(taken)) {
      const ExpandedArgument* const argument = find(taken);
      if (argument == nullptr || !parser_.read_spec(shm::is_array(argument->type), spec)) break;
      result_ += format_.substr(copied, parser_.begin() - copied);
      copied = parser_.end();
      if (argument->shape != nullptr && argument->shape->parts != nullptr) {
        std::size_t field = argument->first_field;
        add_parts(*argument->shape, field);
      } else {
        add_placeholder(*argument, spec);
      }
    }
    const bool is_sound = parser_.error() == shm::BraceError::none && copied <= format_.size();
    if (!is_sound) {
      result_ = format_;
    } else {
      result_ += format_.substr(copied);
    }
    return std::move(result_);
  }

 private:
  const ExpandedArgument* find(const shm::BraceArgument& taken) const {
    if (!taken.is_named) {
      return taken.number < arguments_.size() ? &arguments_[taken.number] : nullptr;
    }
    const std::string_view name =
        format_.substr(taken.name_begin, taken.name_end - taken.name_begin);
    const auto found = std::ranges::find(arguments_, name, &ExpandedArgument::name);
    return found != arguments_.end() ? &*found : nullptr;
  }

  // `spec`: its specification with the colon, or nothing.
  void add_field(std::size_t field, std::string_view spec = {}) {
    result_.append("{").append(std::to_string(field)).append(spec).append("}");
  }

  void add_parts(const rs_shape& shape, std::size_t& field) {
    PartNames names(shape);
    std::pmr::string text(result_.get_allocator());
    if (shape.text != nullptr) {
      text = shape.text;
    } else {
      names.append_text(text);
    }
    std::uint32_t part = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_placeholder = text.compare(i, 2, "{}") == 0 || text.compare(i, 2, "{:") == 0;
      const std::size_t end = text.find('}', i);
      if (!is_placeholder || end == std::string::npos || part == shape.part_count) {
        result_ += text[i];
        continue;
      }
      const std::string_view spec = std::string_view(text).substr(i + 1, end - i - 1);
      i = end;
      const rs_shape* const inner = shape.parts[part++];
      if (inner != nullptr && inner->parts != nullptr) {
        add_parts(*inner, field);
      } else {
        add_field(field++, spec);
      }
    }
    for (; part < shape.part_count; ++part) field += field_count(shape.parts[part]);
  }

  static std::size_t field_count(const rs_shape* shape) {
    if (shape == nullptr || shape->parts == nullptr) return 1;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < shape->part_count; ++i) count += field_count(shape->parts[i]);
    return count;
  }

  // The placeholder itself, with positions in the place of names and automatic numbers.
  void add_placeholder(const ExpandedArgument& argument, const shm::BraceSpec& spec) {
    std::string_view rest =
        format_.substr(parser_.begin() + 1, parser_.end() - parser_.begin() - 1);
    rest.remove_prefix(std::min(rest.find_first_of(":}"), rest.size()));
    result_ += "{" + std::to_string(argument.first_field);
    bool is_width = spec.width_argument.is_present;
    while (!rest.empty()) {
      if (rest.front() != '{') {
        result_ += rest.front();
        rest.remove_prefix(1);
        continue;
      }
      const ExpandedArgument* const size =
          find(is_width ? spec.width_argument : spec.precision_argument);
      is_width = false;
      add_field(size != nullptr ? size->first_field : 0);
      rest.remove_prefix(std::min(rest.find('}') + 1, rest.size()));
    }
  }

  std::string_view format_;
  std::span<const ExpandedArgument> arguments_;
  shm::BraceParser parser_;
  std::pmr::string result_;
};

}  // namespace

std::pmr::string expand_placeholders(std::string_view format,
                                     std::span<const ExpandedArgument> arguments,
                                     std::pmr::memory_resource& memory) {
  return PlaceholderExpansion(format, arguments, memory).expanded();
}

}  // namespace ringside

#include "trace-format/lines/context_text.hpp"

#include "trace-format/condition/field_name.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/json_value.hpp"
#include "trace-format/lines/logfmt_value.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::trace {
namespace {

void append_value(TextSink& out, const Value& value) {
  const std::size_t begin = out.size();
  if (value.type == shm::FieldType::string) {
    out.write(value.text);
  } else if (value.type == shm::FieldType::character) {
    out.put(static_cast<char>(value.u64));
  } else {
    write_value(out, value);
  }
  make_logfmt_value(out, begin);
}

}  // namespace

void append_context_json(TextSink& out, const RecordContext* context) {
  if (context == nullptr) return;
  out.write(",\"context\":");
  append_context_object(out, context);
}

void append_context_object(TextSink& out, const RecordContext* context) {
  out.put('{');
  for (std::size_t i = 0; context != nullptr && i < context->args.size(); ++i) {
    if (i != 0) out.put(',');
    out.write(quoted_json_text(context->site->fields[i].name));
    out.put(':');
    append_json_value(out, context->args[i]);
  }
  out.put('}');
}

const Value* context_value(const RecordContext* context, std::string_view name) {
  if (context == nullptr) return nullptr;
  const auto index = find_field(*context->site, name);
  return index && *index < context->args.size() ? &context->args[*index] : nullptr;
}

void append_context_pairs(TextSink& out, const RecordContext* context, std::string_view prefix) {
  if (context == nullptr) return;
  for (std::size_t i = 0; i < context->args.size(); ++i) {
    out.put(' ');
    out.write(prefix);
    const std::size_t begin = out.size();
    out.write(context->site->fields[i].name);
    make_logfmt_value(out, begin);
    out.put('=');
    append_value(out, context->args[i]);
  }
}

}  // namespace ringside::trace

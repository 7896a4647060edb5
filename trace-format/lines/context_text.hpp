#pragma once
// The context of a record, as text.

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::trace {

// `,"context":{"user":7}`. A null context appends nothing.
void append_context_json(TextSink& out, const RecordContext* context);

// `{"user":7}`; `{}` of a null context.
void append_context_object(TextSink& out, const RecordContext* context);

// The field of this full or short name; null if there is none.
const Value* context_value(const RecordContext* context, std::string_view name);

// ` user=7 tenant=acme`, each name after `prefix`; the same.
void append_context_pairs(TextSink& out, const RecordContext* context, std::string_view prefix);

}  // namespace ringside::trace

/* The name of quill's header, for sources that stay unchanged. */
#pragma once
/// Visible outside of a shared library.
#define QUILL_EXPORT __attribute__((visibility("default")))
#define QUILL_MAYBE_UNUSED [[maybe_unused]]
#define QUILL_NODISCARD [[nodiscard]]

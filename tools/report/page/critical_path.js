// What a request waited for: at each moment, the span that ends last of those that were running.

/** A span: when it begins and ends, and its index. @typedef {{begin: number, end: number, index: number}} Span */
/** @typedef {{from: number, to: number, index: number}} Piece index -1: no span was running */

/**
 * The critical path of a request, from its beginning to its end. At its end, the path is in the span that ends there and
 * began last. From its beginning on, further back, it is in the span that ended there or is still running.
 * @param {Span[]} spans
 * @returns {Piece[]}
 */
export function criticalPath(spans) {
  /** @type {Piece[]} */
  const path = [];
  if (spans.length === 0) return path;
  const begin = Math.min(...spans.map((span) => span.begin));
  let now = Math.max(...spans.map((span) => span.end));
  while (now > begin) {
    const running = spans.filter((span) => span.begin < now && span.end >= now);
    if (running.length === 0) {
      const before = Math.max(...spans.filter((span) => span.end < now).map((span) => span.end));
      path.push({from: before, to: now, index: -1});
      now = before;
      continue;
    }
    // The innermost one: it began last.
    const inner = running.reduce((a, b) => b.begin > a.begin || (b.begin === a.begin && b.end < a.end) ? b : a);
    // Before that, another one within it or beside it may have ended: what is newer waited for it.
    const ended = spans.filter((span) => span.end < now && span.end > inner.begin && span.begin >= inner.begin && span.index !== inner.index);
    const from = Math.max(inner.begin, ...ended.map((span) => span.end));
    path.push({from, to: now, index: inner.index});
    now = from;
  }
  path.reverse();
  return joined(path);
}

/** Pieces of one span that follow each other are one. @param {Piece[]} path @returns {Piece[]} */
function joined(path) {
  /** @type {Piece[]} */
  const out = [];
  for (const piece of path) {
    const last = out[out.length - 1];
    if (last !== undefined && last.index === piece.index && last.to === piece.from) last.to = piece.to;
    else out.push({...piece});
  }
  return out;
}

/** How long the path is in each span. @param {Piece[]} path @returns {Map<number, number>} */
export function timeOnPath(path) {
  const times = new Map();
  for (const piece of path) times.set(piece.index, (times.get(piece.index) ?? 0) + piece.to - piece.from);
  return times;
}

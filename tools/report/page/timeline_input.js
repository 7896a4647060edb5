// Pointer, wheel and keys of the timeline.

import { RULER_PIXELS } from "./timeline_rows.js";

export const LEAST_WINDOW_NS = 10;

/**
 * A window that is within the trace, and not shorter than a few ns.
 * @param {[number, number]} window
 * @param {number} end
 * @returns {[number, number]}
 */
export function limited(window, end) {
  const all = Math.max(end, LEAST_WINDOW_NS);
  const length = Math.min(all, Math.max(LEAST_WINDOW_NS, window[1] - window[0]));
  const from = Math.max(0, Math.min(all - length, window[0]));
  return [from, from + length];
}

/**
 * @param {[number, number]} window
 * @param {number} factor of the length
 * @param {number} at the time that stays where it is
 * @returns {[number, number]}
 */
export function zoomed(window, factor, at) {
  return [at - (at - window[0]) * factor, at + (window[1] - at) * factor];
}

/**
 * Calls the handlers; times are those of the moment of the event.
 * @param {HTMLCanvasElement} canvas
 * @param {{
 *   window: () => [number, number], left: () => number, timeAt: (x: number) => number, all: () => number,
 *   onWindow: (window: [number, number]) => void, onBrush: (time: [number, number] | null, done: boolean) => void,
 *   onHover: (x: number, y: number) => void, onLeave: () => void, onClick: (x: number, y: number) => void,
 *   onDoubleClick: (x: number, y: number) => void, onScroll: (pixels: number) => void,
 *   onKey: (key: string) => boolean,
 * }} handlers
 */
export function listen(canvas, handlers) {
  /** @type {{id: number, x: number, y: number, window: [number, number], brush: number | null, moved: boolean} | null} */
  let drag = null;
  /** The places of the fingers. @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  /** Two fingers keep the times that they are on. @type {{times: [number, number]} | null} */
  let pinch = null;
  const fingerPlaces = () => [...fingers.values()].map(({x}) => x).sort((a, b) => a - b);
  const beginPinch = () => {
    const [from, to] = fingerPlaces();
    drag = null;
    pinch = {times: [handlers.timeAt(from), handlers.timeAt(to)]};
  };
  const movePinch = (/** @type {{times: [number, number]}} */ {times}) => {
    const [from, to] = fingerPlaces(), left = handlers.left();
    // Fingers that meet would zoom without end.
    const perPixel = (times[1] - times[0]) / Math.max(8, to - from);
    const begin = times[0] - (from - left) * perPixel;
    handlers.onWindow([begin, begin + (canvas.clientWidth - left) * perPixel]);
  };
  const place = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const {x, y} = place(event);
    if (event.pointerType === "touch") fingers.set(event.pointerId, {x, y});
    if (fingers.size === 2) return beginPinch();
    drag = {id: event.pointerId, x, y, window: handlers.window(), brush: y < RULER_PIXELS || event.shiftKey ? handlers.timeAt(x) : null, moved: false};
    try {
      canvas.setPointerCapture(event.pointerId);
    } catch {
      // A pointer that does not exist: events that a program makes.
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    const {x, y} = place(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, {x, y});
    if (pinch !== null) return fingers.size === 2 ? movePinch(pinch) : undefined;
    if (drag === null) return handlers.onHover(x, y);
    if (!drag.moved && Math.abs(x - drag.x) < 4 && Math.abs(y - drag.y) < 4) return;
    const moved = drag.moved;
    if (!moved) handlers.onLeave();
    drag.moved = true;
    if (drag.brush !== null) {
      const to = handlers.timeAt(x);
      handlers.onBrush([Math.min(drag.brush, to), Math.max(drag.brush, to)], false);
      return;
    }
    const perPixel = handlers.timeAt(1) - handlers.timeAt(0);
    const by = (drag.x - x) * perPixel;
    handlers.onWindow([drag.window[0] + by, drag.window[1] + by]);
    if (event.pointerType === "mouse" && moved) handlers.onScroll(-event.movementY);
  });
  // After a pinch, a finger that stays does nothing until all have left.
  const lift = (/** @type {PointerEvent} */ event) => {
    fingers.delete(event.pointerId);
    if (fingers.size === 0) pinch = null;
  };
  const end = (/** @type {PointerEvent} */ event) => {
    lift(event);
    if (drag === null) return;
    const {x, y} = place(event), {moved, brush} = drag;
    drag = null;
    if (brush !== null) {
      const to = handlers.timeAt(x);
      handlers.onBrush(moved && brush !== to ? [Math.min(brush, to), Math.max(brush, to)] : null, true);
    } else if (!moved) {
      handlers.onClick(x, y);
    }
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", (event) => {
    lift(event);
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => handlers.onLeave());
  canvas.addEventListener("dblclick", (event) => {
    const {x, y} = place(event);
    handlers.onDoubleClick(x, y);
  });
  canvas.addEventListener("wheel", (event) => {
    const {x} = place(event), window = handlers.window();
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (!event.ctrlKey && Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      event.preventDefault();
      const by = sideways * (window[1] - window[0]) / 800;
      handlers.onWindow([window[0] + by, window[1] + by]);
    } else if (event.ctrlKey || event.metaKey || document.activeElement === canvas) {
      event.preventDefault();
      handlers.onWindow(zoomed(window, Math.exp(Math.max(-100, Math.min(100, event.deltaY)) / 300), handlers.timeAt(Math.max(x, handlers.left()))));
    }
  }, {passive: false});
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const window = handlers.window(), length = window[1] - window[0], middle = (window[0] + window[1]) / 2;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "w" || key === "+" || key === "=") handlers.onWindow(zoomed(window, 1 / 1.5, middle));
    else if (key === "s" || key === "-") handlers.onWindow(zoomed(window, 1.5, middle));
    else if (key === "a" || key === "ArrowLeft") handlers.onWindow([window[0] - length / 8, window[1] - length / 8]);
    else if (key === "d" || key === "ArrowRight") handlers.onWindow([window[0] + length / 8, window[1] + length / 8]);
    else if (key === "Home") handlers.onWindow([0, handlers.all()]);
    else if (!handlers.onKey(key)) return;
    event.preventDefault();
  });
}

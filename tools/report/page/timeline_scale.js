// Where times are on the canvas of the timeline.

/** @param {{window: [number, number], left: number, width: number}} scene @param {number} time */
export function xOf({window, left, width}, time) {
  return left + (time - window[0]) * (width - left) / (window[1] - window[0]);
}

/** @param {{window: [number, number], left: number, width: number}} scene @param {number} x */
export function timeOf({window, left, width}, x) {
  return window[0] + (x - left) * (window[1] - window[0]) / (width - left);
}

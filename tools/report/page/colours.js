// Colours of drawings: of statements from the palette of Okabe and Ito, made lighter so that dark text is readable on them.

const PALETTE = ["#e69f00", "#56b4e9", "#3fbf93", "#f0e442", "#8fb4e0", "#ea8a55", "#d99abf", "#b9b9b9"];

/** @param {number} number of a statement or a function */
export function colourOf(number) {
  return PALETTE[((number % PALETTE.length) + PALETTE.length) % PALETTE.length];
}

/**
 * The page's colours by their names in page.css.
 * @returns {Record<string, string>}
 */
export function pageColours() {
  const style = getComputedStyle(document.documentElement);
  /** @type {Record<string, string>} */
  const colours = {};
  for (const name of ["back", "panel", "text", "faint", "line", "accent", "bad", "good", "selected"])
    colours[name] = style.getPropertyValue("--" + name).trim();
  return colours;
}

/**
 * A text that has at most this width, which may be shortened; empty if nothing of use fits.
 * @param {CanvasRenderingContext2D} canvas
 * @param {string} text
 * @param {number} width
 */
export function fitted(canvas, text, width) {
  if (width < 14) return "";
  const character = canvas.measureText("x").width;
  const most = Math.floor(width / character);
  if (most >= text.length && canvas.measureText(text.slice(0, 400)).width <= width) return text;
  return most < 3 ? "" : text.slice(0, most - 1) + "…";
}

/**
 * Sets the size of a canvas in CSS pixels, and returns its context in these units.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const pixels = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

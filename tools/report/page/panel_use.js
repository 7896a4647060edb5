// Whether the reader of a live page is using a panel that newer data would replace.

// main.js makes these anew with new data: what is typed, focused or selected there would be gone.
const REPLACED = ["timeline", "flame", "requests", "records", "triggers"].map((id) => "#" + id).join();

let isPressed = false;

function isTextSelected() {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && String(selection) !== "";
}

export function isInUse() {
  return isPressed || isTextSelected() || (document.activeElement?.closest(REPLACED) ?? null) !== null;
}

/** Ends the use. */
export function leave() {
  getSelection()?.removeAllRanges();
  const active = document.activeElement;
  if (active instanceof HTMLElement && active.closest(REPLACED) !== null) active.blur();
}

/** @param {() => void} listener called when a use may have ended */
export function onRelease(listener) {
  const press = (/** @type {boolean} */ is) => () => {
    isPressed = is;
    // After the click that follows.
    if (!is) setTimeout(listener);
  };
  addEventListener("pointerdown", press(true), true);
  addEventListener("pointerup", press(false), true);
  addEventListener("pointercancel", press(false), true);
  // The focus is nowhere during the event.
  addEventListener("focusout", () => setTimeout(listener));
  document.addEventListener("selectionchange", () => {
    if (!isTextSelected()) setTimeout(listener);
  });
}

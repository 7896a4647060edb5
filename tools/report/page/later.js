// Panels below those that are visible first: they are made after the page has been painted, one in each task.

import { Component } from "./html.js";

/** @type {Later[]} */
const waiting = [];
let isAllDue = false;

export class Later extends Component {
  constructor() {
    super();
    this.state = {isDue: false};
    this.isUnmounted = false;
  }

  componentDidMount() {
    waiting.push(this);
  }

  componentWillUnmount() {
    this.isUnmounted = true;
  }

  /** @param {{children: any}} properties @param {{isDue: boolean}} state */
  render({children}, {isDue}) {
    return isDue || isAllDue ? children : null;
  }
}

/**
 * Makes the panels that wait, after the next paint.
 * @param {() => void} done
 */
export function makeLater(done) {
  const panel = waiting.shift();
  if (panel === undefined) return done();
  const make = () => {
    clearTimeout(hidden);
    cancelAnimationFrame(frame);
    if (!panel.isUnmounted) panel.setState({isDue: true});
    makeLater(done);
  };
  // A frame is painted after its callbacks: so the task after them comes after the paint. A page in the background has no frames.
  const hidden = setTimeout(make, document.hidden ? 0 : 200);
  const frame = requestAnimationFrame(() => {
    clearTimeout(hidden);
    setTimeout(make, 0);
  });
}

/**
 * Makes all panels at once, and draws them: a page that is printed may have no further frame.
 * @param {() => void} renderPage
 */
export function makeAll(renderPage) {
  isAllDue = true;
  /** @type {FrameRequestCallback[]} */
  const callbacks = [];
  const {requestAnimationFrame} = window;
  window.requestAnimationFrame = (callback) => callbacks.push(callback);
  try {
    renderPage();
  } finally {
    window.requestAnimationFrame = requestAnimationFrame;
  }
  for (const callback of callbacks) callback(performance.now());
}

// Paths of nested spans, or of functions: for all threads or one, and those around one function.

/**
 * @typedef {object} Node
 * @property {number} name -1: the root; OTHERS: what the trace's paths had beyond those in the report
 * @property {number} total
 * @property {number} self
 * @property {number} count
 * @property {Node[]} children the heaviest first
 * @property {Node | null} parent
 */

export const ROOT = -0x80000000;
export const OTHERS = -0x7fffffff;

/** @param {number} name @param {Node | null} parent @returns {Node} */
function node(name, parent) {
  return {name, total: 0, self: 0, count: 0, children: [], parent};
}

/** Children by their names while a tree is made. */
class Maker {
  constructor() {
    /** @type {Map<Node, Map<number, Node>>} */
    this.known = new Map();
  }

  /** @param {Node} parent @param {number} name @returns {Node} */
  child(parent, name) {
    let children = this.known.get(parent);
    if (children === undefined) this.known.set(parent, children = new Map());
    let found = children.get(name);
    if (found === undefined) {
      found = node(name, parent);
      children.set(name, found);
      parent.children.push(found);
    }
    return found;
  }

  /** @param {Node} root */
  sorted(root) {
    for (const [each] of this.known) each.children.sort((a, b) => b.total - a.total);
    return root;
  }
}

/** @param {Node} to @param {{total: number, self: number, count: number}} from */
function add(to, from) {
  to.total += from.total;
  to.self += from.self;
  to.count += from.count;
}

/**
 * The tree of all threads, or of one; its root has the name ROOT.
 * @param {any} paths of the document
 * @param {number | null} thread
 * @returns {Node}
 */
export function treeOf(paths, thread) {
  const root = node(ROOT, null), maker = new Maker();
  /** @type {(Node | null)[]} */
  const places = [];
  for (let i = 0; i < paths.parent.length; ++i) {
    const own = {total: paths.total[i], self: paths.self[i], count: paths.count[i]};
    if (paths.parent[i] < 0) {
      places.push(thread === null || paths.name[i] === thread ? root : null);
      if (places[i] !== null) root.total += own.total;
      continue;
    }
    const parent = places[paths.parent[i]];
    const place = parent === null ? null : maker.child(parent, paths.name[i]);
    places.push(place);
    if (place !== null) add(place, own);
  }
  for (let i = 0; i + 2 < paths.others.length; i += 3) {
    const place = places[paths.others[i]];
    if (place !== null) add(maker.child(place, OTHERS), {total: paths.others[i + 2], self: paths.others[i + 2], count: paths.others[i + 1]});
  }
  return maker.sorted(root);
}

/** The nodes from the root to a node. @param {Node} node */
export function pathOf(node) {
  const path = [];
  for (let /** @type {Node | null} */ at = node; at !== null; at = at.parent) path.unshift(at);
  return path;
}

/** The node at a path of names below the root; null: the path is empty, or there is none. @param {Node} root @param {number[]} names @returns {Node | null} */
export function nodeAt(root, names) {
  let /** @type {Node | undefined} */ at = names.length === 0 ? undefined : root;
  for (const name of names) at = at?.children.find((child) => child.name === name);
  return at === undefined || at.name === OTHERS ? null : at;
}

/** @param {Node} root @param {(node: Node) => void} visit parents first */
export function visitAll(root, visit) {
  const waiting = [root];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    visit(each);
    for (const child of each.children) waiting.push(child);
  }
}

/** Whether an ancestor has the same name: its time counts already. @param {Node} each */
function isRepeated(each) {
  for (let above = each.parent; above !== null; above = above.parent) if (above.name === each.name) return true;
  return false;
}

/**
 * Each name with its numbers over all paths.
 * @param {Node} root
 * @returns {{name: number, total: number, self: number, count: number}[]} the greatest total first
 */
export function namesOf(root) {
  /** @type {Map<number, {name: number, total: number, self: number, count: number}>} */
  const names = new Map();
  visitAll(root, (each) => {
    if (each.name === ROOT || each.name === OTHERS) return;
    let sum = names.get(each.name);
    if (sum === undefined) names.set(each.name, sum = {name: each.name, total: 0, self: 0, count: 0});
    sum.self += each.self;
    sum.count += each.count;
    if (!isRepeated(each)) sum.total += each.total;
  });
  return [...names.values()].sort((a, b) => b.total - a.total || a.name - b.name);
}

/**
 * What a name calls, over all paths; the root has the name.
 * @param {Node} root
 * @param {number} name
 */
export function calleesOf(root, name) {
  const top = node(name, null), maker = new Maker();
  const merge = (/** @type {Node} */ to, /** @type {Node} */ from) => {
    add(to, from);
    for (const child of from.children) merge(maker.child(to, child.name), child);
  };
  visitAll(root, (each) => {
    if (each.name === name && !isRepeated(each)) merge(top, each);
  });
  return maker.sorted(top);
}

/**
 * What calls a name, with the time of the name in each path; the root has the name, its children are the callers.
 * @param {Node} root
 * @param {number} name
 */
export function callersOf(root, name) {
  const top = node(name, null), maker = new Maker();
  visitAll(root, (each) => {
    if (each.name !== name || isRepeated(each)) return;
    let at = top;
    add(at, each);
    for (let above = each.parent; above !== null && above.name !== ROOT; above = above.parent) {
      at = maker.child(at, above.name);
      add(at, {total: each.total, self: 0, count: each.count});
    }
  });
  return maker.sorted(top);
}

/**
 * @typedef {object} Box
 * @property {Node} node
 * @property {number} x from 0 to 1
 * @property {number} width
 * @property {number} depth
 */

/**
 * The boxes of a tree that are at least so wide: at most 1 / least of each depth.
 * @param {Node} root
 * @param {number} least
 * @returns {Box[]}
 */
export function boxesOf(root, least) {
  /** @type {Box[]} */
  const boxes = [{node: root, x: 0, width: 1, depth: 0}];
  for (let i = 0; i < boxes.length; ++i) {
    const box = boxes[i];
    // Children that overlap can take longer than the span around them.
    const sum = Math.max(box.node.total, box.node.children.reduce((all, child) => all + child.total, 0));
    let {x} = box;
    for (const child of box.node.children) {
      const width = sum === 0 ? 0 : box.width * child.total / sum;
      if (width >= least) boxes.push({node: child, x, width, depth: box.depth + 1});
      x += width;
    }
  }
  return boxes;
}

/** The depth of the deepest box. @param {Box[]} boxes */
export function depthOf(boxes) {
  return boxes.reduce((most, box) => Math.max(most, box.depth), 0);
}

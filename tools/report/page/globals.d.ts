// The libraries of the page (vendor/), which are scripts: only what the modules use of them. The TypeScript compiler reads this, browsers do not.

declare namespace htmPreact {
  /** An element; only render() and other elements take it. */
  interface Element {
    readonly type: unknown;
  }
  function html(texts: TemplateStringsArray, ...values: unknown[]): Element;
  function render(element: Element, parent: HTMLElement): void;
  class Component {
    constructor(properties?: any);
    state: any;
    props: any;
    base: HTMLElement | null;
    setState(change: object): void;
    forceUpdate(): void;
    componentDidMount?(): void;
    componentDidUpdate?(): void;
    componentWillUnmount?(): void;
    shouldComponentUpdate?(properties: any, state: any): boolean;
    render(properties: any, state: any): Element | null;
  }
}

declare namespace fzstd {
  function decompress(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
}

/** https://github.com/leeoniya/uPlot, docs; options are objects of many members. */
declare class uPlot {
  constructor(options: any, data: (number | null)[][], target: HTMLElement);
  readonly root: HTMLElement;
  readonly over: HTMLElement;
  readonly ctx: CanvasRenderingContext2D;
  readonly bbox: {left: number, top: number, width: number, height: number};
  readonly select: {left: number, top: number, width: number, height: number};
  static readonly pxRatio: number;
  setData(data: (number | null)[][], resetScales?: boolean): void;
  setSize(size: {width: number, height: number}): void;
  setSelect(select: {left: number, top: number, width: number, height: number}, fireHook?: boolean): void;
  setScale(scale: string, limits: {min: number, max: number}): void;
  valToPos(value: number, scale: string, canvasPixels?: boolean): number;
  posToVal(position: number, scale: string, canvasPixels?: boolean): number;
  redraw(rebuildPaths?: boolean, recalculateAxes?: boolean): void;
  destroy(): void;
}

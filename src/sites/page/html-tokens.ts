import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** An attribute by its lower-case name; the first of several with the same name. */
export type Attributes = ReadonlyMap<string, string>;

/** Receives the tags and texts of HTML, in order. */
export interface HtmlHandler {
  /** `name` in lower case. */
  onStartTag(name: string, attributes: Attributes): void;
  onText(text: string): void;
  onEndTag(name: string): void;
}

const maxAttributes = 50;

/**
 * Reports the tags and texts of HTML. Does not use htmlparser2's `Parser`, whose stack of open
 * elements takes quadratic time: nothing here needs to know how elements are nested.
 */
export function readHtml(html: string, handler: HtmlHandler): void {
  const tokenizer = new Tokenizer({ decodeEntities: true }, new TokenHandler(html, handler));
  tokenizer.write(html);
  tokenizer.end();
}

class TokenHandler implements TokenizerCallbacks {
  readonly #html: string;
  readonly #handler: HtmlHandler;
  #tag = '';
  #attributes = new Map<string, string>();
  #name = '';
  #value = '';

  constructor(html: string, handler: HtmlHandler) {
    this.#html = html;
    this.#handler = handler;
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#attributes.size < maxAttributes && !this.#attributes.has(this.#name))
      this.#attributes.set(this.#name, this.#value);
  }

  onopentagend(): void {
    this.#handler.onStartTag(this.#tag, this.#attributes);
  }

  onselfclosingtag(): void {
    this.onopentagend();
    // Only elements of SVG and MathML may close themselves (HTML section 13.2.6.5).
    if (this.#tag === 'svg') this.#handler.onEndTag(this.#tag);
  }

  onclosetag(start: number, end: number): void {
    this.#handler.onEndTag(this.#html.slice(start, end).toLowerCase());
  }

  ontext(start: number, end: number): void {
    this.#handler.onText(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#handler.onText(String.fromCodePoint(codePoint));
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
}

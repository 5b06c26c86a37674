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

/**
 * Decodes HTML by its byte order mark, the `Content-Type`, a `<meta charset>` in its first 1024
 * bytes, else as UTF-8 if it is valid, else as windows-1252. Never throws.
 */
export function decodeHtml(body: Uint8Array, contentType: string | undefined): string {
  const decoder =
    decoderOf(markedCharset(body)) ??
    decoderOf(charsetIn(contentType)) ??
    decoderOf(prescanCharset(body));
  if (decoder) return decoder.decode(body);
  return decodeUtf8(body) ?? new TextDecoder('windows-1252').decode(body);
}

function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function decoderOf(charset: string | undefined): TextDecoder | undefined {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

/** `stream`: the last character may be cut off. */
function decodeUtf8(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true });
  } catch {
    return undefined;
  }
}

const maxPrescanBytes = 1024;

/**
 * Returns the charset that a `<meta>` in the first 1024 bytes declares, outside of comments (HTML,
 * "prescan a byte stream to determine its encoding"); undefined if there is none that is known.
 */
function prescanCharset(body: Uint8Array): string | undefined {
  let declared: string | undefined;
  readHtml(Buffer.from(body.subarray(0, maxPrescanBytes)).toString('latin1'), {
    onStartTag: (name, attributes) => {
      if (name === 'meta') declared ??= knownCharsetOf(attributes);
    },
    onText: () => {},
    onEndTag: () => {},
  });

  return declared;
}

/** `content` declares a charset only in place of the header `Content-Type`. */
function knownCharsetOf(attributes: Attributes): string | undefined {
  const isContentType = attributes.get('http-equiv')?.trim().toLowerCase() === 'content-type';
  const content = isContentType ? attributes.get('content') : undefined;
  const charset = attributes.get('charset')?.trim() ?? charsetIn(content);
  // A tag that can be read byte by byte is not in UTF-16.
  if (charset && /^utf-16/i.test(charset)) return 'utf-8';
  return charset && isKnown(charset) ? charset : undefined;
}

function charsetIn(mediaType = ''): string | undefined {
  return /charset\s*=[\s"']*([\w.:-]{1,40})/i.exec(mediaType)?.[1];
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== '';
  } catch {
    return false;
  }
}

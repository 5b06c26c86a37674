const maxPrescanBytes = 1024;

/**
 * Returns the charset that a `<meta>` in the first 1024 bytes declares, outside of comments (HTML,
 * "prescan a byte stream to determine its encoding"); undefined if there is none that is known.
 */
export function prescanCharset(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.subarray(0, maxPrescanBytes)).toString('latin1');
  const tags = start.replaceAll(/<!--.*?(?:-->|$)/gs, '').matchAll(tagForm);
  for (const [, name = '', attributes = ''] of tags) {
    const charset = name.toLowerCase() === 'meta' ? charsetOfMeta(attributes) : undefined;
    // A tag that can be read byte by byte is not in UTF-16.
    if (charset && /^utf-16/i.test(charset)) return 'utf-8';
    if (charset && isKnown(charset)) return charset;
  }
  return undefined;
}

/** A tag with its attributes; a quoted value may contain `>`. */
const tagForm = /<([a-z][^\s/>]*)((?:[^=>]|=(?!\s*["'])|=\s*"[^"]*"|=\s*'[^']*')*)>/gi;
const attributeForm = /([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/g;

/** `content` declares a charset only in place of the header `Content-Type`. */
function charsetOfMeta(text: string): string | undefined {
  const attributes = new Map<string, string>();
  for (const [, name = '', ...values] of text.matchAll(attributeForm)) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, values.find(Boolean)?.trim() ?? '');
  }
  const isContentType = attributes.get('http-equiv')?.toLowerCase() === 'content-type';
  const content = isContentType ? attributes.get('content') : undefined;
  return attributes.get('charset') ?? charsetIn(content);
}

/** Returns the `charset` of a media type. */
export function charsetIn(mediaType = ''): string | undefined {
  return /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(mediaType)?.[1];
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== '';
  } catch {
    return false;
  }
}

import { readHtml, type Attributes } from './html-tokens.ts';

const maxPrescanBytes = 1024;

/**
 * Returns the charset that a `<meta>` in the first 1024 bytes declares, outside of comments (HTML,
 * "prescan a byte stream to determine its encoding"); undefined if there is none that is known.
 */
export function prescanCharset(body: Uint8Array): string | undefined {
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

/** Returns the `charset` of a media type. */
export function charsetIn(mediaType = ''): string | undefined {
  return /charset\s*=[\s"']*([\w.:-]{1,40})/i.exec(mediaType)?.[1];
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== '';
  } catch {
    return false;
  }
}

import { charsetIn, prescanCharset } from './prescan-charset.ts';

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

/** Longest URL that is reported, in characters. */
const maxUrlLength = 2048;

/** Returns a declared text on one line, at most `maxLength` characters; null if it is empty. */
export function shortText(text: string, maxLength: number): string | null {
  // Ten times as much is read as is reported, so that white space cannot hide the text.
  const line = text
    .slice(0, maxLength * 10)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.slice(0, maxLength).trim().toWellFormed() || null;
}

/**
 * Returns an absolute `http:` or `https:` URL of at most 2,048 characters, resolved against `base`;
 * null for anything else, such as `mailto:`, `data:` or a URL with a user name.
 */
export function webUrl(text: string, base: string | null): URL | null {
  if (text.length > maxUrlLength) return null;
  const url = URL.parse(text, base ?? undefined);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (url.username || url.password || url.href.length > maxUrlLength) return null;
  return url;
}

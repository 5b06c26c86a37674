/** What may be copied from a page of the documentation, by its caption. */
export function commandsIn(page: string): ReadonlyMap<string, string> {
  const blocks = page.matchAll(/<pre[^>]* aria-label="([^"]+)"[^>]*><code>([^<]*)<\/code>/g);
  return new Map(Array.from(blocks, ([, caption = '', code = '']) => [caption, plainText(code)]));
}

/** A page without its tags, as it is read. */
export function plainText(page: string): string {
  const characters = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return Object.entries(characters).reduce(
    (text, [escaped, plain]) => text.replaceAll(escaped, plain),
    page.replace(/<[^>]+>/g, ''),
  );
}

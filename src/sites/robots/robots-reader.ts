import { parseRobots } from './robots-parser.ts';
import type { RobotsFile } from './robots-file.ts';
import type { ReadFact } from '../site-facts.ts';
import { withPlainHttp } from '../plain-http.ts';
import type { SiteClient, SiteResponse } from '../site-client.ts';

/**
 * Creates the reader of the robots.txt of a page's origin. It rejects if the server could not be
 * reached, which callers must treat as `disallow_all` (RFC 9309 section 2.3.1.4).
 */
export function robotsReader({ client }: { readonly client: SiteClient }): ReadFact<'robots'> {
  return ({ target }, request) =>
    withPlainHttp(target, async (page) => {
      const url = new URL('/robots.txt', page);
      return toRobotsFile(url, await client.get(url, request));
    });
}

function toRobotsFile(
  requested: URL,
  { url, status, body, isTruncated }: SiteResponse,
): RobotsFile {
  const access = accessOf(status);
  const text = access === 'rules' ? new TextDecoder().decode(body) : '';
  // The last line of a part may be cut off, and would then apply to other paths.
  const parsed = parseRobots(isTruncated ? withoutLastLine(text) : text);
  return {
    url: requested.href,
    finalUrl: url.href,
    status,
    access,
    // The copies do not share memory with the text of the file, as substrings do.
    ...structuredClone(parsed),
    isTruncated: access === 'rules' && isTruncated,
  };
}

/** RFC 9309 section 2.3.1. 429 is a 4xx too. A redirect without a target is no file either. */
function accessOf(status: number): RobotsFile['access'] {
  if (status < 300) return 'rules';
  return status < 500 ? 'allow_all' : 'disallow_all';
}

function withoutLastLine(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'), 0));
}

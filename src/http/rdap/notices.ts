import type { RdapAnswer } from './rdap-lookup.ts';
import { rdapJson } from './rdap-path.ts';

/** A notice about a response (RFC 9083 section 4.3). */
export interface Notice {
  readonly title: string;
  readonly description: readonly string[];
  readonly links?: readonly Link[];
}

/** A link; `value` is the URL of the response that contains it (RFC 9083 section 4.2). */
interface Link {
  readonly value: string;
  readonly rel: string;
  readonly href: string;
  readonly type: string;
}

/** Returns a link from the response at `value` to a page. */
export function pageLink(value: string, href: string): Link {
  return { value, rel: 'help', href, type: 'text/html' };
}

/**
 * Returns the notice about where an answer came from: the source, when it was checked, and whether
 * it was cached. `url` is that of the response.
 */
export function sourceNotice(answer: RdapAnswer, url: string): Notice {
  const { source, sourceUrl, age } = answer;
  const origin = sourceUrl ?? sourceNames[source ?? ''] ?? 'the gateway';
  const time = age.checkedAt === undefined ? '' : ` at ${new Date(age.checkedAt).toISOString()}`;
  return {
    title: 'Source',
    description: [`Relayed by RDAP Gateway. Answered by ${origin}${time}.`, cacheState(age)],
    ...(sourceUrl !== null && {
      links: [{ value: url, rel: 'via', href: sourceUrl, type: rdapJson }],
    }),
  };
}

/** Sources without a URL, by `source`. */
const sourceNames: Readonly<Record<string, string>> = {
  das: 'the availability service of the registry',
  whois: 'a WHOIS server',
  dns: 'the DNS',
};

function cacheState({ cached, stale }: RdapAnswer['age']): string {
  if (stale) return 'Stale: read from the cache, because the current lookup failed.';
  return cached ? 'Cached: read from the cache.' : 'Not cached: looked up for this request.';
}

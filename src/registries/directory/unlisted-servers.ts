import table from './unlisted-servers.json' with { type: 'json' };

/**
 * RDAP servers that IANA's bootstrap document does not list, by TLD. A 200 is trusted. A 404 counts
 * only while the server finds a canary of the same TLD, and if the DNS confirms it:
 * some of these servers may be unofficial, out of date or incomplete, and a shared host returns 404
 * for every TLD that it does not serve. Compiled in November 2026 from public lists of servers.
 *
 * `rdap.nic.io` and `rdap.nic.co` are excluded, because they return 404 for registered names.
 * Excluded too are hosts such as `rdap.jprs.jp` and `rdap.eu`, which only one list of generated
 * names contains. That of `de` is a pilot without a service level, and about `co` the lists differ.
 */
export const unlistedServers: ReadonlyMap<string, string> = new Map(
  Object.entries(table).flatMap(([baseUrl, tlds]) =>
    tlds.split(' ').map((tld) => [tld, baseUrl] as const),
  ),
);

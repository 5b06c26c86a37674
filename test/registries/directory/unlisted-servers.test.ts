import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readBootstrap } from '../../../src/registries/directory/bootstrap-parser.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import { unlistedServers } from '../../../src/registries/directory/suffix-sources.ts';
import { builtInTlds } from '../../../src/registries/directory/tld-list.ts';

describe('the table of unlisted RDAP servers', () => {
  it('contains only TLDs that IANA lists no server for', () => {
    const listed = readBootstrap(table);
    expect(Array.from(unlistedServers.keys()).filter((tld) => listed.has(tld))).toEqual([]);
    expect(unlistedServers.get('io')).toBe('https://rdap.identitydigital.services/rdap/');
  });

  it('contains normalized https: base URLs', () => {
    for (const baseUrl of unlistedServers.values()) {
      expect(new URL(baseUrl)).toMatchObject({ href: baseUrl, protocol: 'https:' });
      expect(baseUrl).toMatch(/\/$/);
    }
  });

  it.each(['rdap.nic.io', 'rdap.nic.co', 'rdap.jprs.jp', 'rdap.cnnic.cn', 'rdap.eu', 'rdap.kr'])(
    'does not contain %s, which returns wrong 404s or is not confirmed',
    (host) => {
      const hosts = Array.from(unlistedServers.values(), (baseUrl) => new URL(baseUrl).host);
      expect(hosts).not.toContain(host);
    },
  );

  const survey = new URL('../../../../shared/coverage.json', import.meta.url);
  const isPresent = existsSync(survey);
  const skipped = isPresent ? '' : ' (skipped: the survey is not present)';
  it.skipIf(!isPresent)(`agrees with the survey of servers${skipped}`, () => {
    const { unlistedRdap, unlistedRdapTraps } = JSON.parse(readFileSync(survey, 'utf8')) as {
      readonly unlistedRdap: readonly { readonly tlds: readonly string[]; readonly url: string }[];
      readonly unlistedRdapTraps: readonly { readonly url: string }[];
    };
    const traps = new Set(unlistedRdapTraps.map(({ url }) => url));
    const expected = unlistedRdap
      .filter(({ url }) => !traps.has(url))
      .flatMap(({ tlds, url }) => tlds.map((tld) => [tld, url] as const))
      .filter(([tld]) => builtInTlds.has(tld));
    // Later lists name more servers.
    expect(Array.from(unlistedServers)).toEqual(expect.arrayContaining(expected));
    expect(expected.length).toBeGreaterThan(30);
  });
});

import { domainToUnicode } from 'node:url';
import { expect, it } from 'vitest';
import bootstrap from '../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import { unlistedServers } from '../../src/registries/directory/suffix-sources.ts';
import { dasTlds } from '../../src/registries/whois/das-services.ts';
import { whoisTlds } from '../../src/registries/whois/whois-format.ts';
import { guides, guideText } from '../support/checks/guides.ts';

const readme = guides.find(({ path }) => path === 'README.md')?.text ?? '';
const listed = new Set(bootstrap.services.flatMap(([tlds = []]) => tlds));
const withRdap = new Set([...listed, ...unlistedServers.keys()]);

/** Returns the number in the first row of the README that matches, without separators. */
function numberIn(row: RegExp): number {
  return Number(row.exec(readme)?.[1]?.replace(',', ''));
}

it('counts in the README the TLDs that each source adds', () => {
  const unlisted = [...unlistedServers.keys()].filter((tld) => !dasTlds.includes(tld));
  expect(numberIn(/^\| (\d+) more with an RDAP server that IANA does not list/m)).toBe(
    unlisted.length,
  );
  const withoutRdap = whoisTlds.filter((tld) => !withRdap.has(tld));
  expect(numberIn(/^\| (\d+) more with a \[WHOIS server\]/m)).toBe(withoutRdap.length);
  const about = numberIn(/^\| about ([\d,]+) that IANA lists/m);
  expect(Math.abs(about - listed.size)).toBeLessThan(50);
});

it.each(dasTlds)('names .%s, which has an availability service', (tld) => {
  expect(readme).toMatch(new RegExp(`^\\|[^|]*\`\\.${tld}\`[^|]*\\| availability service`, 'm'));
  for (const name of ['verdicts', 'deployment', 'registry-terms'])
    expect([name, guideText(name).includes(`\`.${tld}\``)]).toEqual([name, true]);
});

it.each(whoisTlds.map((tld) => domainToUnicode(tld)))('lists the terms of WHOIS for .%s', (tld) => {
  expect(guideText('registry-terms')).toMatch(new RegExp(`^\\|[^|]*\`\\.${tld}\``, 'm'));
});

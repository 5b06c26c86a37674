import { createRequire } from 'node:module';
import { array, assert, constantFrom, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listedRobots, rulesFor, type RobotsFile } from '../../../src/sites/robots/robots-file.ts';
import { parseRobots } from '../../../src/sites/robots/robots-reader.ts';
import { fastCheckOptions, rounds, seed } from '../../fuzz/fuzzing.ts';

// Its types describe a default export, but it is a CommonJS function.
const robotsParser = createRequire(import.meta.url)('robots-parser') as (
  url: string,
  text: string,
) => { isAllowed(url: string, userAgent: string): boolean | undefined };

function allows(robots: string, path: string, token = 'rdap-gateway'): boolean {
  return rulesFor({ access: 'rules', ...parseRobots(robots) }, token)(path);
}

function listed(robots: string): RobotsFile {
  const url = 'https://example.com/robots.txt';
  const file = { url, finalUrl: url, status: 200, access: 'rules', isTruncated: false } as const;
  return listedRobots({ ...file, ...parseRobots(robots) });
}

const many = (line: string) => `User-agent: *\n${`${line}\n`.repeat(20_000)}`;

describe('robots.txt', () => {
  it('compares percent-encoded characters with plain ones', () => {
    for (const pattern of ['/%61%62%63$', '/a*%62%63$', '/%61********************bc'])
      expect(allows(`User-agent: *\nDisallow: ${pattern}`, '/abc')).toBe(false);
    expect(allows('User-agent: *\nDisallow: /[%5B%C3%A9"', '/[%5Bé%22')).toBe(false);
    expect(allows('User-agent: *\nDisallow: /[', '/%5B')).toBe(true);
  });

  it('is parsed whatever its line ends, with a byte order mark, comments and unknown lines', () => {
    const text = [
      '\uFEFFUser-Agent: a # comment\r\nuser-agent:b\rDISALLOW : /x\nCrawl-delay: 2.5\n\nUnknown: 1',
      'Sitemap: https://example.com/sitemap.xml\nAllow: /x/y\nUser-agent: c\nDisallow:',
      'Sitemap: javascript:alert(1)\nno colon',
    ].join('\n');
    expect(parseRobots(text)).toEqual({
      sitemaps: ['https://example.com/sitemap.xml'],
      groups: [
        {
          userAgents: ['a', 'b'],
          rules: [
            { type: 'disallow', path: '/x' },
            { type: 'allow', path: '/x/y' },
          ],
          crawlDelay: 2.5,
          contentSignals: [],
        },
        {
          userAgents: ['c'],
          rules: [{ type: 'disallow', path: '' }],
          crawlDelay: null,
          contentSignals: [],
        },
      ],
    });
  });

  it('may have content signals, for all paths or one', () => {
    const text = `Content-Signal: search=yes
User-Agent: *
Content-Signal: ai-train=no, Search=YES, broken, x=maybe
Content-Signal: /blog ai-input=no`;
    expect(parseRobots(text).groups[0]?.contentSignals).toEqual([
      { path: null, name: 'ai-train', isAllowed: false },
      { path: null, name: 'search', isAllowed: true },
      { path: '/blog', name: 'ai-input', isAllowed: false },
    ]);
  });

  it.each([
    ['Allow: /p\nDisallow: /', '/page', true],
    ['Allow: /folder\nDisallow: /folder', '/folder/page', true],
    ['Allow: /page\nDisallow: /*.htm', '/page.htm', false],
    ['Allow: /$\nDisallow: /', '/', true],
    ['Allow: /$\nDisallow: /', '/page.htm', false],
    ['Disallow: /*.php$', '/a.php', false],
    ['Disallow: /*.php$', '/a.php?x', true],
    ['Disallow: /a*a$', '/a', true],
    ['Disallow: /*a*b', '/xbxa', true],
    ['Disallow: /foo/bar/ツ', '/foo/bar/%E3%83%84', false],
    ['Disallow: /foo/bar/%62%61%7A', '/foo/bar/baz', false],
    ['Disallow: /a%2fb', '/a%2Fb', false],
    ['Disallow: /a%2fb', '/a/b', true],
    ['Disallow: /a-%2A.html', '/a-*.html', false],
    ['Disallow: /a$b', '/a$b', false],
    ['Disallow:', '/', true],
    ['Disallow: /', '/robots.txt', true],
    ['Disallow: page', '/page', true],
  ])('decides by %j whether %s may be requested: %s', (rules, path, expected) => {
    expect(allows(`User-agent: *\n${rules}`, path)).toBe(expected);
  });

  it('selects all groups of the crawler, else those of all others', () => {
    const text = `User-agent: RDAP-Gateway/1.0
Disallow: /a
User-agent: *
Disallow: /b
User-agent: other
User-agent: rdap-gateway
Disallow: /c`;
    expect(['/a', '/b', '/c'].map((path) => allows(text, path))).toEqual([false, true, false]);
    expect(['/a', '/b', '/c'].map((path) => allows(text, path, 'x'))).toEqual([true, false, true]);
    expect(allows('User-agent: x\nDisallow: /', '/')).toBe(true);
  });

  it('allows everything without a file, and nothing if the server failed', () => {
    const file = { groups: [] };
    expect(rulesFor({ ...file, access: 'allow_all' }, 'x')('/')).toBe(true);
    const isAllowed = rulesFor({ ...file, access: 'disallow_all' }, 'x');
    expect([isAllowed('/'), isAllowed('/robots.txt')]).toEqual([false, true]);
  });

  it('keeps the agents apart to which content signals and delays apply, but not their rules', () => {
    const text = `User-agent: GPTBot
Content-Signal: ai-train=no

User-agent: Other
Crawl-delay: 5
User-agent: *
Content-Signal: ai-train=yes
Disallow: /x
User-agent: last
Crawl-delay: 1`;
    expect(
      parseRobots(text).groups.map(({ userAgents, contentSignals, crawlDelay, rules }) => [
        userAgents.join(' '),
        contentSignals[0]?.isAllowed,
        crawlDelay,
        rules.length,
      ]),
    ).toEqual([
      ['GPTBot', false, null, 0],
      ['Other', undefined, 5, 0],
      ['*', true, null, 1],
      ['last', undefined, 1, 0],
    ]);
    for (const token of ['GPTBot', 'Other', 'x']) expect(allows(text, '/x', token)).toBe(false);
    expect(allows(text, '/x', 'last')).toBe(true);
  });

  it.each([
    ['10,000 rules', many('Disallow: /a')],
    ['1,000 agents', 'User-agent: bot\nDisallow: /a\n'.repeat(2000)],
    ['a long rule', `User-agent: *\nDisallow: /${'x'.repeat(300_000)}\n`],
  ])('applies rules after %s', (_what, text) => {
    expect(allows(`${text}User-agent: rdap-gateway\nDisallow: /`, '/')).toBe(false);
  });

  it('allows nothing with more than 1,000 rules with * for the crawler', () => {
    const rule = 'Disallow: /*.pdf\n';
    const text = `User-agent: x\n${rule.repeat(1000)}`;
    expect([allows(text, '/', 'x'), allows(text, '/a.pdf', 'x')]).toEqual([true, false]);
    expect(allows(text + rule, '/', 'x')).toBe(false);
    expect(allows(text + rule, '/robots.txt', 'x')).toBe(true);
    expect(allows(text + rule, '/', 'y')).toBe(true);
  });

  it('may have rules of any length', () => {
    expect(allows(`User-agent: *\nDisallow: /${'*'.repeat(3000)}x`, '/abx')).toBe(false);
  });

  it('is listed with a limited number of entries', () => {
    const rules = listed(many('Disallow: /a'));
    expect([rules.groups[0]?.rules.length, rules.isTruncated]).toEqual([10_000, true]);
    const agents = listed('User-agent: a\nDisallow: /\n'.repeat(2000));
    expect([agents.groups.length, agents.isTruncated]).toEqual([1000, true]);
    const sitemaps = listed(many('Sitemap: https://a.example/'));
    expect([sitemaps.sitemaps.length, sitemaps.isTruncated]).toEqual([1000, true]);
    const signals = listed(many('Content-Signal: a=no'));
    expect([signals.groups[0]?.contentSignals.length, signals.isTruncated]).toEqual([1000, true]);
    // Without its rules, the second group would look like one that shares those of the third.
    const text = `User-agent: a\n${'Disallow: /a\n'.repeat(10_000)}User-agent: b\nAllow: /`;
    expect(listed(`${text}\nUser-agent: c`).groups).toHaveLength(1);
    expect(listed('User-agent: a\nDisallow: /').isTruncated).toBe(false);
  });

  it.each([
    ['Disallow: /\n', '/'],
    ['Disallow: /*a*a*a*b\n', `/${'a'.repeat(2000)}`],
    ['Crawl-delay: 1\nUser-agent: x\n', '/'],
    [`Disallow: *${'a'.repeat(250)}b\n`, `/${'a'.repeat(2000)}`],
    ['*', '/'],
    ['Disallow: /%61*b\n', '/'],
    ['User-agent: y\n', '/'],
  ])('of 512 KiB of %j is prepared once for many URLs, in linear time', (line, path) => {
    const text = `User-agent: x\n${line.repeat((512 * 1024) / line.length)}`;
    const startedAt = performance.now();
    const isAllowed = rulesFor({ access: 'rules', ...parseRobots(text) }, 'x');
    for (let index = 0; index < 200; index += 1) isAllowed(`${path}${index}`);
    listed(text);
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  // Differences of robots-parser: it ignores the version and the case of fewer names, ends a group
  // at every other line, decodes reserved characters and counts the length of patterns before
  // normalization. So the texts have one group, and no percent-encoding.
  it(`agrees with robots-parser (seed ${seed})`, () => {
    const path = array(constantFrom('a', 'b', '/', '*', '.', '?'), { maxLength: 8 }).map(
      (parts) => `/${parts.join('')}`,
    );
    const rule = tuple(constantFrom('Allow', 'Disallow'), path, constantFrom('', '', '$')).map(
      ([type, pattern, end]) => `${type}: ${pattern}${end}`,
    );
    const target = path.map((text) => text.replaceAll(/[*?]/g, 'b').replace(/^\/+/, '/'));
    assert(
      property(array(rule, { maxLength: 6 }), target, (rules, tested) => {
        const text = `User-agent: *\n${rules.join('\n')}`;
        const url = new URL(`https://example.com${tested}`);
        const oracle = robotsParser('https://example.com/robots.txt', text);
        expect(allows(text, url.pathname)).toBe(oracle.isAllowed(url.href, 'x'));
      }),
      fastCheckOptions(rounds(300)),
    );
  });

  it(`never throws (seed ${seed})`, () => {
    assert(
      property(string({ unit: 'binary' }), string({ unit: 'binary' }), (text, path) => {
        allows(`User-agent: *\nDisallow: ${text}\n${text}`, path);
      }),
      fastCheckOptions(rounds(300)),
    );
  });
});

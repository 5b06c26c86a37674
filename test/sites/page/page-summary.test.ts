import { describe, expect, it } from 'vitest';
import { pageSummaryOf } from '../../../src/sites/page/page-summary.ts';
import { failedVisit, pageVisit } from '../../support/bodies/page-visit.ts';

const visitedAt = Date.UTC(2026, 0, 1);

function robots(header: string | null, meta?: string) {
  const metas = meta === undefined ? [] : [{ key: 'robots', content: meta }];
  const headers: Record<string, string> = header === null ? {} : { 'x-robots-tag': header };
  return pageSummaryOf(pageVisit({ metas }, { headers }), visitedAt).robots;
}

describe('the summary of a page', () => {
  it('claims nothing about a page that did not respond or has no HTML', () => {
    const none = { status: null, finalUrl: null, document: null } as const;
    expect(pageSummaryOf(pageVisit({}, none), visitedAt)).toMatchObject({
      description: null,
      robots: null,
      securityHeaders: null,
      openGraph: null,
      twitterCard: null,
    });
    expect(pageSummaryOf(failedVisit(), visitedAt)).toMatchObject({
      robots: { meta: [], header: [], indexable: null },
      securityHeaders: {},
      openGraph: null,
      twitterCard: null,
    });
    const headers = { 'x-robots-tag': 'noindex' };
    expect(pageSummaryOf({ ...failedVisit(), headers }, visitedAt).robots?.indexable).toBe(false);
  });

  it('is empty if the page declares nothing', () => {
    expect(pageSummaryOf(pageVisit(), visitedAt)).toMatchObject({
      robots: { meta: [], header: [], indexable: true },
      securityHeaders: {},
      openGraph: {},
      twitterCard: {},
    });
  });

  it('has the first value of each property, and the security headers that are present', () => {
    const metas = [
      { key: 'og:title', content: 'A' },
      { key: 'og:title', content: 'B' },
      { key: 'og:description', content: 'C' },
      { key: 'twitter:card', content: 'summary' },
      { key: 'og:__proto__', content: 'D' },
    ];
    const links = [{ rel: ['canonical'], url: '/a', type: null, sizes: null }];
    const headers = { 'x-frame-options': 'DENY', server: 'a' };
    const summary = pageSummaryOf(pageVisit({ metas, links }, { headers }), visitedAt);
    expect(summary).toMatchObject({
      description: 'C',
      canonicalUrl: 'https://www.example.com/a',
      twitterCard: { card: 'summary' },
      securityHeaders: { 'x-frame-options': 'DENY' },
    });
    expect(Object.entries(summary.openGraph ?? {})).toEqual([
      ['title', 'A'],
      ['description', 'C'],
      ['__proto__', 'D'],
    ]);
    expect(Object.keys(summary.securityHeaders ?? {})).toHaveLength(1);
  });

  it('has complete URLs', () => {
    const content = 'https://a.example/'.padEnd(2048, 'x');
    const page = pageVisit({ metas: [{ key: 'og:image', content }] });
    expect(pageSummaryOf(page, visitedAt).openGraph).toEqual({ image: content });
  });

  it.each([
    [null, undefined, true],
    [null, 'Index, Follow', true],
    [null, 'NOINDEX', false],
    ['none', undefined, false],
    ['nofollow, noindex', 'all', false],
    ['googlebot: noindex, nofollow', undefined, true],
    ['googlebot: nofollow, *: noindex', undefined, false],
    ['unavailable_after: 2030-01-01, noindex', undefined, false],
    ['max-snippet:-1', undefined, true],
    ['unavailable_after: Wed, 21 Oct 2030 07:28:00 GMT, noindex', undefined, false],
    ['unavailable_after: Wed, 21 Oct 2030 07:28:00 GMT', undefined, true],
    ['unavailable_after: Wed, 21 Oct 2015 07:28:00 GMT', undefined, false],
    ['googlebot: unavailable_after: 2015-10-21', undefined, true],
    [null, 'unavailable_after: 25 Jun 2010 15:00:00 PST', false],
    [null, 'unavailable_after: soon', true],
    ['googlebot: nofollow\nnoindex', undefined, false],
    ['12:30: x, noindex', undefined, false],
  ])('says whether crawlers may index the page: %s, %s', (header, meta, indexable) => {
    expect(robots(header, meta)?.indexable).toBe(indexable);
  });

  it('lists the directives, with the crawler for which they are', () => {
    expect(robots('noarchive, otherbot: noindex, nofollow', 'noindex,follow')).toEqual({
      meta: ['noindex', 'follow'],
      header: ['noarchive', 'otherbot: noindex', 'otherbot: nofollow'],
      indexable: false,
    });
  });
});

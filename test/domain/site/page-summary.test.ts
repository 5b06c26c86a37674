import { describe, expect, it } from 'vitest';
import { pageSummaryOf } from '../../../src/domain/site/page-summary.ts';
import { failedVisit, pageVisit } from '../../support/page-visit.ts';

function robots(header: string | null, meta?: string) {
  const metas = meta === undefined ? [] : [{ key: 'robots', content: meta }];
  const headers: Record<string, string> = header === null ? {} : { 'x-robots-tag': header };
  return pageSummaryOf(pageVisit({ metas }, { headers })).robots;
}

describe('the summary of a page', () => {
  it('is empty if the page declares nothing or could not be read', () => {
    expect(pageSummaryOf(pageVisit())).toEqual(pageSummaryOf(failedVisit()));
    expect(pageSummaryOf(failedVisit())).toMatchObject({ description: null, openGraph: {} });
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
    const summary = pageSummaryOf(pageVisit({ metas, links }, { headers }));
    expect(summary).toMatchObject({
      description: 'C',
      canonicalUrl: 'https://www.example.com/a',
      twitterCard: { card: 'summary' },
      securityHeaders: { 'x-frame-options': 'DENY' },
    });
    expect(Object.entries(summary.openGraph)).toEqual([
      ['title', 'A'],
      ['description', 'C'],
      ['__proto__', 'D'],
    ]);
    expect(Object.keys(summary.securityHeaders)).toHaveLength(1);
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
  ])('says whether crawlers may index the page: %s, %s', (header, meta, indexable) => {
    expect(robots(header, meta).indexable).toBe(indexable);
  });

  it('lists the directives, with the crawler for which they are', () => {
    expect(robots('noarchive, otherbot: noindex, nofollow', 'noindex,follow')).toEqual({
      meta: ['noindex', 'follow'],
      header: ['noarchive', 'otherbot: noindex', 'otherbot: nofollow'],
      indexable: false,
    });
  });
});

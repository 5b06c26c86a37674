import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/domain/registration.ts';
import { categoriesOf } from '../../src/sites/page/categories.ts';
import { identityOf } from '../../src/sites/page/identity-of.ts';
import { pageSummaryOf } from '../../src/sites/page/page-summary.ts';
import { detectTechnologies } from '../../src/sites/tech/detect-technologies.ts';
import { dnsRecords, pageVisit } from '../support/bodies/page-visit.ts';
import { fastCheckOptions, rounds, seed } from './fuzzing.ts';

const words = fc.constantFrom(
  'nginx/1.2', 'PHP/8', 'cloudflare', 'WordPress 6', 'generator', 'og:type', 'og:image', 'og:', 'robots', 'icon', 'me', 'stylesheet', 'Organization', 'Person', 'https://x.com/@a', 'https://x.com/%', 'https://cdn.shopify.com/a.js', '/jquery-3.1.min.js', '//[', 'mailto:a@b', 'noindex', ':', ',', '__proto__', 'constructor', '\ud800', 'a'.repeat(3000), 'PHPSESSID', 'a.myshopify.com',
); // prettier-ignore
const text = fc.oneof(words, fc.string({ unit: 'binary', maxLength: 20 }));
const texts = fc.array(text, { maxLength: 10 });
const keys = fc.constantFrom(
  '@type',
  '@value',
  'name',
  'logo',
  'url',
  'sameAs',
  'publisher',
  '@id',
);
const json = fc.letrec<{ value: Json }>((tie) => ({ value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
  ),
})).value; // prettier-ignore
const optional = fc.option(text);

const sites = fc.record({ visit: fc
    .record({
      metas: fc.array(fc.record({ key: text, content: text }), { maxLength: 10 }),
      links: fc.array(fc.record({ rel: texts, url: text, type: optional, sizes: optional }), { maxLength: 10 }),
      scripts: texts,
      anchors: fc.record({ total: fc.nat(), internal: fc.nat(), external: fc.nat(), relMe: texts, profiles: texts }),
      structuredData: fc.record({ types: texts, items: fc.array(json, { maxLength: 5 }), parseErrors: fc.nat() }),
      headers: fc.dictionary(fc.constantFrom('server', 'via', 'x-powered-by', 'x-robots-tag', 'link'), text),
      cookieNames: texts,
      finalUrl: optional,
    })
    .map(({ headers, cookieNames, finalUrl, ...document }) => pageVisit(document, { headers, cookieNames, finalUrl })),
  dns: fc.record({ cname: texts, ns: texts }).map(dnsRecords),
}); // prettier-ignore

/** Returns the texts in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe(`random pages (seed ${seed})`, () => {
  it('show only technologies whose evidence occurs in the visit', () => {
    let detected = 0;
    fc.assert(
      fc.property(sites, (site) => {
        const given = textsIn(site);
        for (const { evidence } of detectTechnologies(site)) {
          detected += 1;
          expect(evidence).not.toHaveLength(0);
          for (const { source, matched } of evidence) {
            expect(matched.length).toBeLessThanOrEqual(200);
            if (source === 'implied' || source === 'host') continue;
            expect(given.some((one) => one.includes(matched) || one === matched)).toBe(true);
          }
        }
      }),
      fastCheckOptions(rounds(300)),
    );
    expect(detected).toBeGreaterThan(0);
  });

  it('declare bounded identities, categories and summaries', () => {
    fc.assert(
      fc.property(sites, ({ visit }) => {
        const results = [identityOf(visit), categoriesOf(visit), pageSummaryOf(visit, 0)];
        for (const one of textsIn(results)) expect(one.length).toBeLessThanOrEqual(3000);
        const { candidates, identities, profiles } = identityOf(visit);
        for (const { url } of [...candidates, ...identities, ...profiles]) {
          expect(url).toMatch(/^https?:\/\//);
          expect(url.length).toBeLessThanOrEqual(2048);
        }
      }),
      fastCheckOptions(rounds(300)),
    );
  });
});

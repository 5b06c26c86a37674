import { describe, expect, it } from 'vitest';
import type { PageDocument, PageVisit } from '../../../src/domain/site/page-visit.ts';
import {
  detectTechnologies,
  evidenceKinds,
  summarizeTechnologies,
} from '../../../src/domain/site/technologies/detect-technologies.ts';
import { dnsRecords, failedVisit, pageVisit } from '../../support/page-visit.ts';

function detect(document: Partial<PageDocument> = {}, changes: Partial<PageVisit> = {}) {
  return detectTechnologies({ visit: pageVisit(document, changes), dns: null });
}

function versions(technologies: ReturnType<typeof detect>) {
  return Object.fromEntries(technologies.map(({ id, version }) => [id, version]));
}

function link(rel: string, url: string) {
  return { rel: [rel], url, type: null, sizes: null };
}

describe('detected technologies', () => {
  it('are none on a page that shows nothing, or could not be read', () => {
    expect(detect()).toEqual([]);
    expect(detectTechnologies({ visit: failedVisit(), dns: dnsRecords() })).toEqual([]);
  });

  it('come with the header that shows them, and the version it states', () => {
    expect(detect({}, { headers: { server: 'nginx/1.25.3 (Ubuntu)' } })).toEqual([
      {
        id: 'nginx',
        name: 'nginx',
        category: 'server',
        version: '1.25.3',
        evidence: [{ source: 'header', key: 'server', matched: 'nginx/1.25.3 (Ubuntu)' }],
      },
    ]);
  });

  it('are read from each product token of a header', () => {
    const headers = { server: 'Apache/2.4.62 (Debian) OpenSSL/3.0 PHP/8.3.1' };
    expect(versions(detect({}, { headers }))).toEqual({ apache: '2.4.62', php: '8.3.1' });
  });

  it.each(['nginx2/1.0', 'my-nginx', 'not nginx-like', 'Apache-Coyote/1.1'])(
    'are not read from a part of another word: %s',
    (server) => {
      const found = detect({}, { headers: { server } }).map(({ id }) => id);
      expect(found).not.toContain('nginx');
      expect(found).not.toContain('apache');
    },
  );

  it('require the start of a value only where a rule says so', () => {
    const headers = { server: 'behind cloudflare', via: '1.1 abc.cloudfront.net (CloudFront)' };
    expect(versions(detect({}, { headers }))).toEqual({ cloudfront: null });
  });

  it('are listed once, with all evidence', () => {
    const [shopify, ...others] = detectTechnologies({
      visit: pageVisit(
        { scripts: ['https://cdn.shopify.com/a.js', 'https://cdn.shopify.com/b.js'] },
        { headers: { 'x-shopid': '1' }, cookieNames: ['_shopify_y'] },
      ),
      dns: dnsRecords({ cname: ['shops.myshopify.com'] }),
    });
    expect(others).toEqual([]);
    expect(shopify?.evidence).toEqual([
      { source: 'header', key: 'x-shopid', matched: '1' },
      { source: 'cookie', key: '_shopify_y', matched: '_shopify_y' },
      { source: 'script', key: null, matched: 'https://cdn.shopify.com/a.js' },
      { source: 'cname', key: null, matched: 'shops.myshopify.com' },
    ]);
    expect(shopify && evidenceKinds(shopify)).toBe(4);
  });

  it('include what a product requires, marked as implied', () => {
    const metas = [{ key: 'generator', content: 'WordPress 6.4.2' }];
    const [wordpress, php] = detect({ metas });
    expect(wordpress).toMatchObject({ id: 'wordpress', version: '6.4.2' });
    expect(php).toMatchObject({
      id: 'php',
      version: null,
      evidence: [{ source: 'implied', key: 'wordpress', matched: 'WordPress' }],
    });
    expect(php && evidenceKinds(php)).toBe(0);
    // Over two steps, and in addition to direct evidence.
    const headers = { 'x-powered-by': 'PHP/8.3' };
    const scripts = ['/wp-content/plugins/woocommerce/a.js'];
    const found = detect({ scripts }, { headers });
    expect(found.map(({ id }) => id).toSorted()).toEqual(['php', 'woocommerce', 'wordpress']);
    expect(found.find(({ id }) => id === 'php')).toMatchObject({
      version: '8.3',
      evidence: [{ source: 'header' }, { source: 'implied', key: 'wordpress' }],
    });
  });

  it('are not those of other sites whose files or pages are linked', () => {
    const scripts = ['https://other.test/wp-includes/a.js'];
    expect(detect({ scripts })).toEqual([]);
    expect(detect({ scripts: ['https://static.example.com/wp-includes/a.js'] })).not.toEqual([]);
    expect(detect({ links: [link('canonical', 'https://cdn.shopify.com/')] })).toEqual([]);
    expect(detect({ links: [link('stylesheet', 'https://cdn.shopify.com/a.css')] })).not.toEqual(
      [],
    );
  });

  it.each([
    ['https://evil-js.stripe.com.test/', {}],
    ['https://notjs.stripe.com/', {}],
    ['https://js.stripe.com/v3/', { stripe: null }],
    ['https://www.google.com/other.js', {}],
    ['https://www.google.com/recaptcha/api.js', { recaptcha: null }],
  ])('are found by whole labels of a host: %s', (script, expected) => {
    expect(versions(detect({ scripts: [script] }))).toEqual(expected);
  });

  it.each([
    ['/js/jquery-3.7.1.min.js', { jquery: '3.7.1' }],
    ['/js/jquery.js?ver=9', { jquery: null }],
    ['https://other.test/npm/jquery@3.6.0/dist/jquery.slim.min.js', { jquery: '3.6.0' }],
    ['https://other.test/ajax/libs/jquery/3.5.1/jquery.min.js', { jquery: '3.5.1' }],
    ['/js/jquery-migrate-3.4.1.min.js', { 'jquery-migrate': '3.4.1', jquery: null }],
    ['/js/jquery.cookie.js', {}],
    ['/js/jquery2go.js', {}],
    ['/jquery.js/app.css', {}],
  ])('are found by the file name of a script: %s', (script, expected) => {
    expect(versions(detect({ scripts: [script] }))).toEqual(expected);
  });

  it('are found by the names of the site and of its name servers', () => {
    const finalUrl = 'https://shop.github.io/';
    expect(versions(detect({}, { finalUrl }))).toEqual({ 'github-pages': null });
    const dns = dnsRecords({ ns: ['ns1.vercel-dns.com'] });
    expect(versions(detectTechnologies({ visit: pageVisit(), dns }))).toEqual({ vercel: null });
    const other = dnsRecords({ ns: ['ns1.notvercel-dns.com'] });
    expect(detectTechnologies({ visit: pageVisit(), dns: other })).toEqual([]);
  });
});

describe('the summary of technologies', () => {
  it('names the product with the most kinds of evidence in each category', () => {
    const found = detect(
      { scripts: ['https://plausible.io/js/a.js', 'https://www.clarity.ms/tag/a'] },
      { headers: { 'cf-ray': '1', 'x-amz-cf-id': '2', server: 'CloudFront' }, cookieNames: ['__cf_bm'] },
    ); // prettier-ignore
    expect(summarizeTechnologies(found)).toEqual({
      cdn: 'Cloudflare',
      server: null,
      framework: null,
      cms: null,
      hosting: null,
      analytics: ['Plausible Analytics', 'Microsoft Clarity'],
    });
  });

  it('names a site builder if there is no content management system', () => {
    const wix = { key: 'generator', content: 'Wix.com Website Builder' };
    expect(summarizeTechnologies(detect({ metas: [wix] })).cms).toBe('Wix');
    const ghost = { key: 'generator', content: 'Ghost 5.8' };
    expect(summarizeTechnologies(detect({ metas: [wix, ghost] })).cms).toBe('Ghost');
  });
});

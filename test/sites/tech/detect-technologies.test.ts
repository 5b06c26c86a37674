import { describe, expect, it } from 'vitest';
import type { PageDocument, PageVisit } from '../../../src/sites/page/page-visit.ts';
import {
  detectTechnologies,
  countEvidenceKinds,
  summarizeTechnologies,
} from '../../../src/sites/tech/detect-technologies.ts';
import { dnsRecords, failedVisit, pageVisit } from '../../support/bodies/page-visit.ts';

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
    expect(shopify && countEvidenceKinds(shopify)).toBe(4);
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
    expect(php && countEvidenceKinds(php)).toBe(0);
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
    ['https://shop.co.uk/', 'https://widgets.co.uk/wp-content/a.js', []],
    ['https://shop.co.uk/', 'https://www.shop.co.uk/wp-content/a.js', ['wordpress', 'php']],
    ['https://www.shop.co.uk/', 'https://cdn.shop.co.uk/wp-content/a.js', ['wordpress', 'php']],
  ])('are those of the site only by its own host: %s, %s', (finalUrl, script, expected) => {
    const found = detect({ scripts: [script] }, { finalUrl });
    expect(found.map(({ id }) => id)).toEqual(expected);
  });

  it.each(['preconnect', 'dns-prefetch'])('are not shown by links of type %s', (rel) => {
    expect(detect({ links: [link(rel, 'https://cdn.shopify.com/')] })).toEqual([]);
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

  it.each([
    ['/static/3f2a9c/jquery.min.js', { jquery: null }],
    ['/assets/20240115/jquery.min.js', { jquery: null }],
    ['/assets/1.2.3/jquery.min.js', { jquery: null }],
    ['/jquery/20240115/jquery.min.js', { jquery: null }],
    ['/js/jquery.20240115.min.js', { jquery: null }],
    ['/js/vue.4821.js', { vue: null }],
    ['https://other.test/npm/vue@3/dist/vue.global.js', { vue: null }],
    ['https://other.test/npm/vue@3.5.0-beta.1/dist/vue.global.js', { vue: '3.5.0-beta.1' }],
    ['https://other.test/ajax/libs/lodash.js/4.17.21/lodash.min.js', { lodash: '4.17.21' }],
    [
      'https://other.test/ajax/libs/jqueryui/1.13.2/jquery-ui.min.js',
      { jquery: null, 'jquery-ui': '1.13.2' },
    ],
  ])('have no version but the one that names them: %s', (script, expected) => {
    expect(versions(detect({ scripts: [script] }))).toEqual(expected);
  });

  it.each([
    ['/js/bootstrap.js', {}],
    ['/js/bootstrap.min.js', { bootstrap: null }],
    ['/js/bootstrap.bundle.js', { bootstrap: null }],
    ['/js/bootstrap-5.3.2.js', { bootstrap: '5.3.2' }],
    ['https://other.test/npm/bootstrap@5/dist/js/bootstrap.js', { bootstrap: null }],
  ])('are found by a common file name only if it names a build: %s', (script, expected) => {
    expect(versions(detect({ scripts: [script] }))).toEqual(expected);
  });

  it.each([
    ['https://www.googletagmanager.com/gtm.js?id=GTM-A1', ['google-tag-manager']],
    ['https://www.googletagmanager.com/gtag/js?id=G-A1', ['google-analytics']],
    ['https://www.googletagmanager.com/gtag/js?l=dataLayer&id=AW-1', ['google-ads']],
    ['https://www.googletagmanager.com/gtag/js?id=GT-A1', ['google-tag']],
    ['https://www.googletagmanager.com/gtag/js', []],
    ['https://connect.facebook.net/en_US/sdk.js', []],
    ['https://connect.facebook.net/en_US/fbevents.js', ['meta-pixel']],
    ['https://code.jquery.com/qunit/qunit-2.20.0.js', []],
    ['https://www.youtube.com/s/player/base.js', []],
  ])('are distinguished if a host has scripts of several: %s', (script, expected) => {
    expect(detect({ scripts: [script] }).map(({ id }) => id)).toEqual(expected);
  });

  it.each([
    ['server', 'Apache Tomcat/9.0', { tomcat: '9.0', java: null }],
    ['server', 'Apache-Coyote/1.1', { tomcat: null, java: null }],
    ['server', 'Apache Traffic Server/9.2', { 'apache-traffic-server': '9.2' }],
    ['server', 'Apache/2.4.62', { apache: '2.4.62' }],
    ['x-powered-by', 'ASP.NET Core', { 'asp-net-core': null }],
    ['x-powered-by', 'ARR/3.0, asp.net', { 'asp-net': null }],
    ['x-powered-by', 'Phusion Passenger (mod_rails/mod_rack) 3.0', { 'phusion-passenger': null }],
    ['server', 'nginx/1.18 + Phusion Passenger 6', { nginx: '1.18', 'phusion-passenger': null }],
    ['via', '1.1 google', { 'google-cloud-load-balancing': null }],
    ['cdn-cache-status', 'hit', {}],
  ])('are not read from the name of another product: %s: %s', (header, value, expected) => {
    expect(versions(detect({}, { headers: { [header]: value } }))).toEqual(expected);
  });

  it.each([
    ['https://abc.execute-api.eu-west-1.amazonaws.com/', []],
    ['https://s3-proxy-1.eu-west-1.elb.amazonaws.com/', []],
    ['https://bucket.s3.amazonaws.com/', ['amazon-s3']],
    ['https://bucket.s3.eu-west-1.amazonaws.com/', ['amazon-s3']],
    ['https://bucket.s3-website.eu-central-1.amazonaws.com/', ['amazon-s3']],
    ['https://bucket.s3-website-us-east-1.amazonaws.com/', ['amazon-s3']],
  ])('are found by the labels of a host: %s', (finalUrl, expected) => {
    expect(detect({}, { finalUrl }).map(({ id }) => id)).toEqual(expected);
  });

  it('are not found on sites of the vendor that send the header without the product', () => {
    const headers = { server: 'github.com' };
    expect(detect({}, { headers, finalUrl: 'https://github.com/' })).toEqual([]);
    expect(versions(detect({}, { headers }))).toEqual({ 'github-pages': null });
  });

  it('are found by the content of a meta element that several products have', () => {
    const metas = [{ key: 'csrf-param', content: '_csrf' }];
    expect(detect({ metas })).toEqual([]);
    const ofRails = [{ key: 'csrf-param', content: 'authenticity_token' }];
    expect(versions(detect({ metas: ofRails }))).toEqual({ 'ruby-on-rails': null, ruby: null });
  });

  it('are not found by names for which a vendor has several products', () => {
    const dns = dnsRecords({ cname: ['ghs.googlehosted.com', 'a.azureedge.net'] });
    const found = detectTechnologies({ visit: pageVisit(), dns });
    expect(versions(found)).toEqual({ 'azure-cdn': null });
  });

  it('are found by the names of the site and of its name servers', () => {
    const finalUrl = 'https://shop.github.io/';
    expect(versions(detect({}, { finalUrl }))).toEqual({ 'github-pages': null });
    const dns = dnsRecords({ ns: ['ns1.vercel-dns.com'] });
    const found = detectTechnologies({ visit: pageVisit(), dns });
    expect(versions(found)).toEqual({ 'vercel-dns': null });
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

  it('names no host, builder or language of a site by its name servers', () => {
    const ns = [
      'a.ui-dns.com', 'ns.ovh.net', 'ns1.your.second-ns.de', 'ns1.wordpress.com',
      'ns1.vercel-dns.com', 'ns1.wixdns.net',
    ]; // prettier-ignore
    const found = detectTechnologies({ visit: pageVisit(), dns: dnsRecords({ ns }) });
    expect(found.map(({ category }) => category)).toEqual(Array(6).fill('dns'));
    expect(summarizeTechnologies(found)).toMatchObject({ hosting: null, cms: null });
  });

  it('names the CDN of the site, not those of its scripts', () => {
    const scripts = ['https://cdn.jsdelivr.net/npm/a', 'https://cdnjs.cloudflare.com/a', 'https://unpkg.com/a']; // prettier-ignore
    expect(summarizeTechnologies(detect({ scripts })).cdn).toBeNull();
    const headers = { 'cf-ray': '1' };
    expect(summarizeTechnologies(detect({ scripts }, { headers })).cdn).toBe('Cloudflare');
  });

  it('names no monitoring among the analytics products', () => {
    const scripts = [
      'https://browser.sentry-cdn.com/a.js', 'https://js-agent.newrelic.com/a.js',
      'https://www.datadoghq-browser-agent.com/a.js', 'https://cdn.cookielaw.org/a.js',
      'https://use.typekit.net/a.js',
    ]; // prettier-ignore
    const found = detect({ scripts });
    expect(summarizeTechnologies(found).analytics).toEqual([]);
    expect(new Set(found.map(({ category }) => category))).toEqual(
      new Set(['consent', 'font', 'monitoring']),
    );
  });

  it('names a site builder if there is no content management system', () => {
    const wix = { key: 'generator', content: 'Wix.com Website Builder' };
    expect(summarizeTechnologies(detect({ metas: [wix] })).cms).toBe('Wix');
    const ghost = { key: 'generator', content: 'Ghost 5.8' };
    expect(summarizeTechnologies(detect({ metas: [wix, ghost] })).cms).toBe('Ghost');
  });
});

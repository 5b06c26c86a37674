import { expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0' } });

async function get(path: string, parameters: Readonly<Record<string, string>>) {
  const response = await fetch(`${gateway.url}${path}?${new URLSearchParams(parameters)}`);
  return response.json();
}

it.each([
  ['http://taken.test/', 200, 'https://taken.test/', undefined],
  ['http://www.taken.test/', 200, 'https://www.taken.test/', undefined],
  [
    'https://taken-other.shop.test/llms.txt',
    200,
    'https://taken-other.shop.test/llms.txt',
    undefined,
  ],
  ['https://taken.test/nope', 404, 'https://taken.test/nope', 'site_unreachable'],
  ['https://taken-redirect.test/a', 404, 'https://www.taken-redirect.test/a', 'site_unreachable'],
  ['http://taken-http.test/', 200, 'http://taken-http.test/', undefined],
  ['https://taken-forbidden.test/', 403, 'https://taken-forbidden.test/', 'site_blocked'],
  ['https://taken-error.test/', 500, 'https://taken-error.test/', 'site_unreachable'],
  ['https://taken-empty.test/', 200, 'https://taken-empty.test/', undefined],
  ['https://taken-http.test/', null, null, 'site_unreachable'],
  ['https://taken-expired.test/', null, null, 'site_unreachable'],
  ['https://taken-wrong-name.test/', null, null, 'site_unreachable'],
  ['https://taken-self-signed.test/', null, null, 'site_unreachable'],
  ['https://taken-tls10.test/', null, null, 'site_unreachable'],
  ['https://taken-loop.test/', null, null, 'site_unreachable'],
  ['https://taken-blocked.test/', null, null, 'site_blocked'],
  ['http://taken-private.test/', null, null, 'site_blocked'],
  ['https://idea.test/', null, null, 'site_unreachable'],
  ['https://taken.contradicted.test/', null, null, 'site_unreachable'],
])('the page %s of the sandbox has status %s', async (url, status, finalUrl, code) => {
  const page = await get('/v1/url-intelligence', { url });
  expect([page.status, page.final_url, page.problem?.code]).toEqual([status, finalUrl, code]);
});

it.each([
  ['taken.test', ['TLSv1.2', 'TLSv1.3'], null, 'taken.test', 'Sandbox CA'],
  ['www.taken.test', ['TLSv1.2', 'TLSv1.3'], null, 'taken.test', 'Sandbox CA'],
  [
    'taken-expired.test',
    ['TLSv1.2', 'TLSv1.3'],
    'CERT_HAS_EXPIRED',
    'taken-expired.test',
    'Sandbox CA',
  ],
  [
    'taken-wrong-name.test',
    ['TLSv1.2', 'TLSv1.3'],
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'other.test',
    'Sandbox CA',
  ],
  [
    'taken-self-signed.test',
    ['TLSv1.2', 'TLSv1.3'],
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'taken-self-signed.test',
    'taken-self-signed.test',
  ],
  ['taken-tls10.test', ['TLSv1'], null, 'taken-tls10.test', 'Sandbox CA'],
])('%s of the sandbox offers %j', async (domain, protocols, error, subject, issuer) => {
  const { result } = await get('/v1/ssl/deep-scan', { domain, profile: 'full' });
  expect(result.summary).toMatchObject({ protocols_offered: protocols, trust_error: error });
  expect(result.certificates).toMatchObject([{ subject, issuer }]);
});

it('has no TLS where the sandbox has no server', async () => {
  for (const domain of ['taken-http.test', 'idea.test'])
    expect(await get('/v1/ssl/deep-scan', { domain })).toMatchObject({
      code: 'site_unreachable',
      detail: `${domain} has no server at port 443.`,
    });
});

it('lists the certificates of names of the sandbox and of names under them', async () => {
  expect(await idsOf('taken.test')).toEqual(['4', '3', '2', '1']);
  expect(await idsOf('www.taken.test')).toEqual(['4']);
  expect(await idsOf('idea.test')).toEqual([]);
});

it.each([
  ['taken.test', true, [], 1, 1, false],
  ['www.taken.test', true, ['taken.test'], 1, 1, false],
  ['taken-for-sale.test', true, [], 1, 1, true],
  ['mail.taken.test', true, [], 1, 0, false],
  ['idea.test', false, [], 0, 0, false],
])('has DNS records of %s', async (host, exists, cname, addresses, mx, forSale) => {
  const query = `query($host: String!) {
    site(host: $host) { dns { exists a cname mx { exchange } } forSale { forSale } }
  }`;
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { host } }),
  });
  const { site } = (await response.json()).data;
  expect(site.dns).toMatchObject({ exists, cname });
  expect(site.dns.a.length).toEqual(addresses);
  expect(site.dns.mx.length).toEqual(mx);
  expect(site.forSale).toEqual({ forSale });
});

async function idsOf(domain: string) {
  const { certificates } = await get('/v1/certificates', { domain, include_expired: 'true' });
  return certificates.map(({ id }: { id: string }) => id);
}

import { connect } from 'node:tls';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { startSandboxSites, type SandboxSites } from '../../src/sandbox/sandbox-sites.ts';
import type { ClosableSiteClient } from '../../src/sites/site-client.ts';
import { problemText, siteClient, siteRequest } from '../support/site-requests.ts';

let sites: SandboxSites;
let client: ClosableSiteClient;
beforeAll(async () => {
  sites = await startSandboxSites(systemClock);
  client = siteClient(sites);
});
afterAll(async () => {
  await client.destroy();
  await sites.close();
});

async function read(url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await client.get(new URL(url), siteRequest(), { headers, timeoutMs: 1000 });
  return { ...response, text: new TextDecoder().decode(response.body) };
}

describe('a site of the sandbox', () => {
  it.each(['taken.test', 'www.taken.test', 'taken-other.shop.test'])(
    'is complete at %s, over HTTPS',
    async (host) => {
      const { url, status, text, headers, cookieNames } = await read(`http://${host}/`);
      expect([url.href, status]).toEqual([`https://${host}/`, 200]);
      expect(text).toContain('This site is part of the sandbox.');
      expect(text).toContain('application/ld+json');
      expect(headers['server']).toBe('nginx/1.29.3');
      expect(cookieNames).toEqual(['wordpress_test_cookie']);
    },
  );

  it.each([
    ['/robots.txt', 'text/plain', 'Content-Signal:'],
    ['/llms.txt', 'text/plain', '# Sandbox shop'],
    ['/openapi.json', 'application/json', '"openapi":"3.1.0"'],
    ['/.well-known/api-catalog', 'application/linkset+json', 'linkset'],
    ['/site.webmanifest', 'application/json', 'start_url'],
    ['/sitemap.xml', 'application/xml', '<loc>https://taken.test/</loc>'],
  ])('has %s', async (path, type, content) => {
    const { status, headers, text } = await read(`https://taken.test${path}`);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(text).toContain(content);
  });

  it('is sent as Markdown to clients that prefer it', async () => {
    const { headers } = await read('https://taken.test/', { accept: 'text/markdown' });
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
  });

  it.each([
    ['taken-forbidden.test', 403],
    ['taken-error.test', 500],
    ['taken-empty.test', 200],
    ['taken-pdf.test', 200],
  ])('has a home page at %s with status %i', async (host, status) => {
    expect((await read(`https://${host}/`)).status).toBe(status);
    expect((await read(`https://${host}/robots.txt`)).status).toBe(200);
  });

  it('redirects, forbids crawlers, or has no HTTPS, as its name says', async () => {
    expect((await read('https://taken-redirect.test/')).url.href).toBe(
      'https://www.taken-redirect.test/',
    );
    expect((await read('https://taken-blocked.test/robots.txt')).text).toContain('Disallow: /\n');
    expect((await read('http://taken-http.test/')).status).toBe(200);
    expect(sites.serverOf('taken-http.test', 443)).toBe('none');
  });

  it.each([
    ['https://taken-expired.test/', /^site_unreachable/],
    ['https://taken-wrong-name.test/', /^site_unreachable/],
    ['https://taken-self-signed.test/', /^site_unreachable/],
    ['https://taken-tls10.test/', /^site_unreachable/],
    ['https://taken-loop.test/', /^site_unreachable/],
    ['http://taken-private.test/', /^site_blocked/],
    ['https://taken-slow.test/', /^site_timeout/],
  ])('cannot be read at %s', async (url, problem) => {
    expect(await problemText(read(url))).toMatch(problem);
  });

  it('has a certificate of its own at each name, with a key that all share', async () => {
    const names = ['taken-self-signed.test', 'taken-self-signed2.test', 'taken.test'];
    const certificates = await Promise.all(names.map(certificateOf));
    expect(certificates.map(({ subject }) => subject.CN)).toEqual(names);
    expect(new Set(certificates.map(({ pubkey }) => pubkey?.toString('hex'))).size).toBe(1);
  });

  it('offers TLS 1.0 only at taken-tls10.test', async () => {
    const server = sites.serverOf('taken-tls10.test', 443);
    if (server === 'none') throw new Error('no server');
    const socket = connect({
      host: server.address,
      port: server.port,
      ca: server.ca,
      servername: 'taken-tls10.test',
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await once(socket, 'secureConnect');
    expect([socket.getProtocol(), socket.authorized]).toEqual(['TLSv1', true]);
    socket.destroy();
  });

  it('exists only for names that are registered in the sandbox', () => {
    for (const host of ['idea.test', 'www.idea.test', 'taken.contradicted.test', 'taken.example'])
      expect(sites.serverOf(host, 80)).toBe('none');
  });
});

describe('the certificate search of the sandbox', () => {
  it('lists the certificates of registered names and of names under them', async () => {
    const rows = await search('taken.test');
    expect(rows.length).toBe(4);
    expect(rows[0]).toMatchObject({ id: 4, name_value: 'taken.test\nwww.taken.test' });
    expect(await search('%25.taken.test')).toEqual(rows);
    expect(await search('idea.test')).toEqual([]);
  });
});

async function certificateOf(servername: string) {
  const server = sites.serverOf(servername, 443);
  if (server === 'none') throw new Error('no server');
  const { address: host, port } = server;
  const socket = connect({ host, port, servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

async function search(query: string) {
  return (await fetch(`${sites.certificateSearchUrl}?q=${query}&output=json`)).json();
}

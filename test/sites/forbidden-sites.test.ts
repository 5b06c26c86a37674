import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startFakeSites } from '../support/servers/fake-site.ts';
import { loopbackSpellings, otherSpellings } from '../support/bodies/forbidden-urls.ts';
import { siteClient, problemText, siteRequest } from '../support/bodies/site-requests.ts';

it('reaches no server by a forbidden URL, direct or by redirect', async () => {
  let connections = 0;
  const server = createServer((socket) => void ((connections += 1), socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const locations = [...loopbackSpellings, ...otherSpellings].flatMap((spell) =>
    [spell('http', port), spell('https', port), spell('http', 80), spell('https', 443)].filter(
      // A path of the same site is no forbidden target.
      (location) => !/^https?:\/[^/\\]/i.test(location),
    ),
  );
  await using sites = await startFakeSites(
    Object.fromEntries(
      locations.map((location, index) => [
        `http://start.example/${index}`,
        { status: 302, headers: { location: Buffer.from(location).toString('latin1') } },
      ]),
    ),
  );
  const client = siteClient(sites, {
    // Any name leads to loopback, and the default ports to the server that must not be reached.
    resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const direct = locations.filter((location) => URL.canParse(location));
  for (const location of direct)
    expect(await problemText(client.get(new URL(location), siteRequest())), location).toMatch(
      /^site_blocked: /,
    );
  for (const [index, location] of locations.entries()) {
    const url = new URL(`http://start.example/${index}`);
    const body = await problemText(client.get(url, siteRequest()));
    expect(body, location).toMatch(/^site_(?:blocked|unreachable): /);
  }
  expect(direct.length).toBeGreaterThan(500);
  expect(connections).toBe(0);
  await client.destroy();
  server.close();
}, 60_000);

it.each(['ftp://example.com/', 'http://user@example.com/', 'https://example.com:8443/'])(
  'does not request %s',
  async (url) => {
    await using sites = await startFakeSites({ 'https://example.com/': {} });
    const client = siteClient(sites);
    expect(await problemText(client.get(new URL(url), siteRequest()))).toMatch(/^site_blocked/);
    await client.destroy();
  },
);

it('does not follow a redirect from https: to http:', async () => {
  await using sites = await startFakeSites({
    'https://example.com/': { status: 301, headers: { location: 'http://example.com/' } },
    'http://example.com/': {},
  });
  const client = siteClient(sites);
  const body = await problemText(client.get(new URL('https://example.com/'), siteRequest()));
  expect(body).toBe('site_blocked: example.com redirects from https: to http:.');
  expect(sites.requests).toHaveLength(1);
  await client.destroy();
});

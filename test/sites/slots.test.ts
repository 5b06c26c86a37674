import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startFakeSites, type FakePage } from '../support/servers/fake-site.ts';
import { siteClient, siteRequest } from '../support/bodies/site-requests.ts';

const redirect = (location: string) => ({ status: 302, headers: { location } });

it('sends at most two requests at once to the hosts of a registrable domain', async () => {
  const open = new Set<ServerResponse>();
  let maxOpen = 0;
  const reply = async (response: ServerResponse) => {
    maxOpen = Math.max(maxOpen, open.add(response).size);
    if (open.size < 2) return;
    // A third request, if one was sent, arrives before this one of another site is answered.
    await client.get(new URL('http://other.example/'), siteRequest());
    for (const each of open) each.end();
    open.clear();
  };
  const urls = ['http://a.example.com/', 'http://b.example.com/'];
  const pages = urls.map((url): [string, FakePage] => [url, (response) => void reply(response)]);
  await using sites = await startFakeSites({
    ...Object.fromEntries(pages),
    'http://other.example/': {},
  });
  const client = siteClient(sites);
  const all = [...urls, ...urls, ...urls, ...urls];
  await Promise.all(all.map((url) => client.get(new URL(url), siteRequest())));
  expect(maxOpen).toBe(2);
  await client.destroy();
});

it('follows redirects between two sites in both directions at once', async () => {
  await using sites = await startFakeSites({
    'http://a.example/': redirect('http://b.example/end'),
    'http://b.example/': redirect('http://a.example/end'),
    'http://a.example/end': {},
    'http://b.example/end': {},
  });
  const client = siteClient(sites);
  const urls = Array.from({ length: 20 }, (_, index) => `http://${index % 2 ? 'a' : 'b'}.example/`);
  const responses = await Promise.all(urls.map((url) => client.get(new URL(url), siteRequest())));
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  await client.destroy();
});

it('sends at most eight requests at once to an address, whatever the names', async () => {
  const open = new Set<ServerResponse>();
  let maxOpen = 0;
  const reply = async (response: ServerResponse) => {
    maxOpen = Math.max(maxOpen, open.add(response).size);
    if (open.size < 8) return;
    // A ninth request, if one was sent, arrives in the meantime.
    await fetch(probe);
    for (const each of open) each.end();
    open.clear();
  };
  const hosts = Array.from({ length: 48 }, (_, index) => `site-${index}.example`);
  const pages = hosts.map((host): [string, FakePage] => [
    `http://${host}/`,
    (response) => void reply(response),
  ]);
  await using sites = await startFakeSites(Object.fromEntries(pages));
  const server = sites.serverOf('site-0.example', 80);
  const probe = `http://127.0.0.1:${typeof server === 'object' ? server.port : 0}/`;
  const client = siteClient(sites);
  await Promise.all(hosts.map((host) => client.get(new URL(`http://${host}/`), siteRequest())));
  expect(maxOpen).toBe(8);
  await client.destroy();
});

import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startFakeSites } from '../../../support/fake-site.ts';
import { siteClient, siteRequest } from '../../../support/site-requests.ts';

const redirect = (location: string) => ({ status: 302, headers: { location } });

it('sends at most two requests at once to the hosts of a registrable domain', async () => {
  let [open, maxOpen] = [0, 0];
  const reply = (response: ServerResponse) => {
    maxOpen = Math.max(maxOpen, (open += 1));
    // Long enough for a third request to arrive, if one is sent.
    setTimeout(() => ((open -= 1), response.end()), 20);
  };
  const urls = ['http://a.example.com/', 'http://b.example.com/', 'http://c.example.com/'];
  await using sites = await startFakeSites(Object.fromEntries(urls.map((url) => [url, reply])));
  const client = siteClient(sites);
  const all = [...urls, ...urls, ...urls];
  await Promise.all(all.map((url) => client.get(new URL(url), siteRequest())));
  expect([maxOpen, sites.requests.length]).toEqual([2, 9]);
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

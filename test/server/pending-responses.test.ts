import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { loopback, openFrom } from '../support/requests/in-flight.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { sendRaw } from '../support/requests/raw-http.ts';
import { notFound } from '../support/bodies/replies.ts';
import { scrape, scrapeUntil, since } from '../support/checks/scrape.ts';
import { paused } from '../support/bodies/scripts.ts';

const metered = await forThisFile(startMeteredGateway);

const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const head = 'HEAD /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';

async function largestAsset(): Promise<string> {
  const page = await (
    await metered.gateway.fetch('/graphql', { headers: { accept: 'text/html' } })
  ).text();
  return `/${/assets\/[^"]*graphiql\.min\.js/.exec(page)?.[0]}`;
}

describe('clients that do not read their responses', () => {
  it('do not affect other clients: four connections, each with 60 large files and 1,500 further requests', async () => {
    const { gateway } = metered;
    const customer = await metered.newCustomer();
    const before = await scrape(gateway);
    const sockets = await openFrom(gateway, loopback(1), 4, get(await largestAsset()).repeat(60));
    for (const socket of sockets) socket.pause();
    for (const socket of sockets) socket.write(head.repeat(1500));
    for (let times = 0; times < 100; times++) {
      const responses = await Promise.all([
        customer.fetch('/v1/status?domain=a.example'),
        gateway.fetch('/ready'),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    }
    const after = await scrape(gateway);
    expect(after.sum('rdap_gateway_http_requests_in_flight')).toBe(0);
    // Ten per connection are served, and as many as fit into the buffers of the kernel.
    expect(
      since(before, after)('rdap_gateway_http_requests_total', { route: 'static' }),
    ).toBeLessThan(4 * 30);
    for (const socket of sockets) socket.destroy();
  });
});

describe('pipelined requests', () => {
  it('are queued beyond ten pending responses, and answered in order', async () => {
    const { gateway, registry } = metered;
    const { key } = await metered.newCustomer();
    const slow = paused(notFound());
    registry.on('slow.example', slow);
    const names = Array.from({ length: 60 }, (_, index) => `p${index}.example`);
    const requests = ['slow.example', ...names].map((name) =>
      get(`/v1/status?domain=${name}`, `X-API-Key: ${key}\r\n`),
    );
    const answered = sendRaw(
      gateway.url,
      requests.join('') + get('/health', 'Connection: close\r\n'),
    );
    await registry.whenRequested('p8.example');
    const { sum } = await scrapeUntil(
      gateway,
      (scraped) => scraped.sum('rdap_gateway_http_requests_in_flight') === 1,
    );
    expect(sum('rdap_gateway_http_requests_queued')).toBe(0);
    expect(registry.requestCount('p9.example')).toBe(0);
    slow.release();
    const domains = [...(await answered).matchAll(/"domain":"([^"]+)"/g)].map(
      ([, domain]) => domain,
    );
    expect(domains).toEqual(['slow.example', ...names]);
  });

  it('are all read if they have bodies', async () => {
    const body = JSON.stringify({ domains: ['a.test'], padding: 'x'.repeat(30_000) });
    const { key } = await metered.newCustomer();
    const json = `X-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const post = `POST /v1/status/bulk HTTP/1.1\r\nHost: localhost\r\n${json}\r\n${body}`;
    const text = await sendRaw(
      metered.gateway.url,
      post.repeat(40) + get('/health', 'Connection: close\r\n'),
    );
    expect(text.match(/HTTP\/1\.1 200/g)?.length).toBe(41);
  });

  it('close the connection if a thousand are sent together', async () => {
    const slow = paused(notFound());
    metered.registry.on('late.example', slow);
    const { key } = await metered.newCustomer();
    const first = get('/v1/status?domain=late.example', `X-API-Key: ${key}\r\n`);
    expect(await sendRaw(metered.gateway.url, first + head.repeat(1000))).toBe('');
    slow.release();
  });
});

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { domainObject } from '../support/domain-object.ts';
import { serveParent } from './part.ts';
import { isTaken, type Counts, type RegistriesOrder, type RegistriesReady } from './registries.ts';
import { typicalObject } from './typical-answer.ts';

const { servers, latencyMs, odd, large } = JSON.parse(process.argv[2] ?? '{}');
let counts = { names: 0, lists: 0 };
let list = '';

const listUrl = await listening((_request, response) => {
  counts.lists += 1;
  const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=86400', etag: '"bench"' };
  response.writeHead(200, headers).end(list);
});
const baseUrls = await Promise.all(Array.from({ length: servers }, (_, index) => listening(registry(odd ? index - servers : 0))));
serveParent<RegistriesOrder>({ listUrl: `${listUrl}dns.json`, baseUrls } satisfies RegistriesReady, (order) => {
  if (order !== 'count') return void (list = JSON.stringify(order.publish));
  const counted: Counts = counts;
  counts = { names: 0, lists: 0 };
  return counted;
});

async function listening(listener: RequestListener): Promise<string> {
  // As the gateway's own connections are kept: none ends between two rounds.
  const server = createServer({ keepAliveTimeout: 60_000 }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** `place` counts from the end, where the odd ones stand: -1 says "not found" with a 200, -2 knows nothing but HTML. */
function registry(place: number): RequestListener {
  return (request, response) => {
    counts.names += 1;
    const name = request.url?.split('/').at(-1) ?? '';
    const html = place === -2;
    const taken = isTaken(name) && !html;
    const body = html ? '<h1>Not Found</h1>' : JSON.stringify(taken ? objectOf(name) : { errorCode: 404, title: 'Not Found' });
    const answer = () =>
      response
        .writeHead(taken || place === -1 ? 200 : 404, {
          'content-type': html ? 'text/html' : 'application/rdap+json',
          'content-length': Buffer.byteLength(body),
        })
        .end(body);
    if (latencyMs > 0) setTimeout(answer, latencyMs);
    else answer();
  };
}

function objectOf(name: string): object {
  return large ? typicalObject(name) : domainObject(name);
}

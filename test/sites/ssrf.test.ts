import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loopbackSpellings, otherSpellings } from '../support/bodies/forbidden-urls.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';

/** The paths that contact a site, with the parameter that names it. */
const domainPaths = [
  'robots',
  'ssl/deep-scan',
  'identity-assets',
  'identity-resolution',
  'agent-readiness',
  'tech',
  'categorize',
];
const urlPaths = ['url-intelligence', 'agent-readiness', 'tech', 'categorize'];
const maxAtOnce = 16;
const spellings = [...loopbackSpellings, ...otherSpellings];

let gateway: Gateway;
let anyPort: Server;
let defaultPorts: readonly Server[];
let connections = 0;

beforeAll(async () => {
  gateway = await startGateway({ env: { RATE_LIMIT: '0', QUEUE_TIMEOUT_MS: '60000' } });
  anyPort = await listen(0).then((server) => server ?? Promise.reject(new Error('no free port')));
  // Ports below 1024 are open to root only.
  const servers = await Promise.all([listen(80), listen(443)]);
  defaultPorts = servers.filter((server) => server !== undefined);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  for (const server of [anyPort, ...defaultPorts]) server.close();
});

/** Listens on all addresses of this machine, and counts connections. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const listening = once(server, 'listening').then(
    () => server,
    () => undefined,
  );
  server.listen(port);
  return listening;
}

/** Requests a path, and returns what is wrong with the response. */
async function faultOf(path: string, param: string, value: string): Promise<string | undefined> {
  const query = new URLSearchParams({ [param]: value });
  let response: Response;
  let body: Json;
  do {
    response = await gateway.fetch(`/v1/${path}?${query}`);
    body = await response.json();
  } while (body.code === 'overloaded');
  const isRefused =
    (response.status === 400 && body.param === param) ||
    ['site_blocked', 'site_unreachable', 'site_timeout'].includes(body.code) ||
    ['blocked', 'http_error'].includes(body.fetch_state) ||
    body.outcome === 'unavailable';
  return isRefused ? undefined : `${path} ${param}=${value}: ${response.status} ${body.code}`;
}

/** Sends requests, few at once: a busy machine rejects those that have waited for 0.8 s. */
async function faultsOf(requests: readonly (() => Promise<string | undefined>)[]) {
  const faults: (string | undefined)[] = [];
  const waiting = requests.values();
  const sendAll = async () => {
    for (const send of waiting) faults.push(await send());
  };
  await Promise.all(Array.from({ length: maxAtOnce }, sendAll));
  return faults;
}

const withoutPort = (url: string) => url.replace(/:\d+(?=[^\d\]]*$)/, '');
const port = () => (anyPort.address() as AddressInfo).port;

it.each(urlPaths)('%s refuses every spelling of an address that is not public', async (path) => {
  connections = 0;
  const urls = spellings.flatMap((spell) =>
    (['http', 'https'] as const).flatMap((scheme) => [
      spell(scheme, port()),
      withoutPort(spell(scheme, 80)),
    ]),
  );
  const faults = await faultsOf(urls.map((url) => () => faultOf(path, 'url', url)));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  expect(connections).toBe(0);
});

it.each(domainPaths)('%s refuses every host that is not public', async (path) => {
  connections = 0;
  const hosts = spellings.map((spell) => spell('http', 80).replace(/^\w+:\/\//, ''));
  const names = [...hosts.map((host) => host.replace(/:80\/?.*$/, '')), ...hosts];
  const faults = await faultsOf(names.map((host) => () => faultOf(path, 'domain', host)));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  expect(connections).toBe(0);
});

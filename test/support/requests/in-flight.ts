import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Gateway } from '../gateways/gateway.ts';
import { scrapeUntil } from '../checks/scrape.ts';

/** How long a request may wait before it is rejected. */
export const maxWaitMs = 800;

/**
 * Returns a loopback address. All of 127.0.0.0/8 works only on Linux; tests that need several
 * addresses run only there.
 */
export const loopback = (index: number) => `127.0.${Math.floor(index / 250)}.${(index % 250) + 1}`;

/** Opens connections from an address and writes the same text to each. */
export async function openFrom(
  gateway: Pick<Gateway, 'url'>,
  localAddress: string,
  count: number,
  text = '',
): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(gateway.url);
  const sockets = Array.from({ length: count }, () =>
    connect({ port: Number(port), host: hostname, localAddress }),
  );
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(text);
  return sockets;
}

/**
 * Fills the limit of requests in flight: ten addresses open 50 connections each with ten requests
 * for this name.
 */
export async function fillInFlight(gateway: Gateway, name: string): Promise<Disposable> {
  const text = `GET /v1/status?domain=${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(10);
  const addresses = Array.from({ length: 10 }, (_, index) => loopback(index + 1));
  const sockets = (
    await Promise.all(addresses.map((address) => openFrom(gateway, address, 50, text)))
  ).flat();
  await scrapeUntil(gateway, ({ sum }) => sum('rdap_gateway_http_requests_in_flight') === 5000);
  return { [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) };
}

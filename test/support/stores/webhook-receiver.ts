import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { KeyAndCertificate } from '../servers/certificate-authority.ts';
import type { Json } from '../gateways/gateway.ts';

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Json;
}

type Reply = readonly [status: number, headers?: Record<string, string>];

/** A real HTTP server that receives webhooks. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly port: number;
  readonly received: ReceivedWebhook[];
  /** The largest number of requests at a time. */
  readonly maxInFlight: number;
  /** What it answers: 204 by default. A promise that never resolves lets the sender wait. */
  reply: (received: ReceivedWebhook) => Reply | Promise<Reply>;
  /** Resolves when so many requests have arrived. */
  arrived(count: number): Promise<void>;
}

/** Starts a receiver on a local port, with TLS if it has a certificate. */
export async function startWebhookReceiver(
  certificate?: KeyAndCertificate,
): Promise<WebhookReceiver> {
  let inFlight = 0;
  let maxInFlight = 0;
  let waiting: { count: number; resolve: () => void }[] = [];
  const handler: Parameters<typeof createServer>[1] = async (request, response) => {
    response.on('close', () => (inFlight -= 1));
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    const body = await text(request);
    const webhook = { headers: request.headers, text: body, body: JSON.parse(body) as Json };
    receiver.received.push(webhook);
    for (const { count, resolve } of waiting) if (receiver.received.length >= count) resolve();
    waiting = waiting.filter(({ count }) => receiver.received.length < count);
    const [status, headers] = await receiver.reply(webhook);
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, headers).end();
  };
  const server: Server = certificate
    ? createTlsServer({ ...certificate }, handler)
    : createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    port: (server.address() as AddressInfo).port,
    received: [],
    get maxInFlight() {
      return maxInFlight;
    },
    reply: () => [204],
    arrived: (count) =>
      new Promise((resolve) => {
        if (receiver.received.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}

import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SiteServerOf } from '../../../src/outbound/dispatcher.ts';
import { CertificateAuthority, type KeyAndCertificate } from './certificate-authority.ts';

/** A response, HTML with status 200 by default. A function writes the response itself. */
export type FakePage = FakeReply | ((response: ServerResponse, path: string) => void);

interface FakeReply {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

export interface FakeRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export type FakeCertificate = 'valid' | 'expired' | 'wrong-name' | 'self-signed';

interface FakeSiteOptions {
  readonly certificate?: FakeCertificate;
  /** Ports without a server. */
  readonly closed?: readonly (80 | 443)[];
}

export interface FakeSites extends AsyncDisposable {
  /** Returns the servers of the sites; undefined for other hosts, which would be found by DNS. */
  readonly serverOf: SiteServerOf;
  /** The requests that were received, in order. */
  readonly requests: readonly FakeRequest[];
}

/**
 * Starts an HTTP and an HTTPS server on loopback for the hosts of some pages. The keys are absolute
 * URLs; other URLs of these hosts are answered with 404.
 */
export async function startFakeSites(
  pages: Readonly<Record<string, FakePage>>,
  { certificate = 'valid', closed = [] }: FakeSiteOptions = {},
): Promise<FakeSites> {
  const hosts = new Set(Object.keys(pages).map((url) => new URL(url).hostname));
  const requests: FakeRequest[] = [];
  const listener =
    (scheme: string): RequestListener =>
    ({ url = '/', headers }, response) => {
      const requested = `${scheme}://${headers.host}${url}`;
      requests.push({ url: requested, headers });
      send(response, pages[requested] ?? { status: 404 }, url);
    };
  const tls = certificateOf(certificate, [...hosts]);
  const http = createServer(listener('http'));
  const https = createTlsServer(tls, listener('https'));
  const ports = { 80: await listenOnLoopback(http), 443: await listenOnLoopback(https) };
  const address = { address: '127.0.0.1', ca: authority().certificate };
  return {
    requests,
    serverOf: (host, port) =>
      hosts.has(host)
        ? closed.includes(port)
          ? 'none'
          : { ...address, port: ports[port] }
        : undefined,
    [Symbol.asyncDispose]: async () => void (await Promise.all([stop(http), stop(https)])),
  };
}

function send(response: ServerResponse, page: FakePage, path: string): void {
  if (typeof page === 'function') return page(response, path);
  response.writeHead(page.status ?? 200, { 'content-type': 'text/html', ...page.headers });
  response.end(page.body);
}

let sharedAuthority: CertificateAuthority | undefined;

function authority(): CertificateAuthority {
  return (sharedAuthority ??= new CertificateAuthority('Test CA', Date.now()));
}

const dayMs = 24 * 60 * 60 * 1000;

function certificateOf(kind: FakeCertificate, hosts: readonly string[]): KeyAndCertificate {
  const now = Date.now();
  const names = kind === 'wrong-name' ? ['other.example'] : hosts;
  const notAfter = kind === 'expired' ? now - dayMs : now + dayMs;
  const options = { names, notBefore: now - 2 * dayMs, notAfter };
  return kind === 'self-signed' ? authority().issueSelfSigned(options) : authority().issue(options);
}

function listenOnLoopback(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

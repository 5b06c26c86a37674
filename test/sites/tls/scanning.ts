import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { systemClock, type Clock } from '../../../src/clock.ts';
import { parseSiteHost } from '../../../src/sites/site-target.ts';
import type { SiteRequest } from '../../../src/sites/site-facts.ts';
import type { TlsScan } from '../../../src/sites/tls/describe-scan.ts';
import type { TlsProfile } from '../../../src/sites/tls/tls-scan.ts';
import { CertificateAuthority } from '../../support/servers/certificate-authority.ts';
import { tlsReader, type TlsReaderOptions } from '../../../src/sites/tls/tls-reader.ts';

const dayMs = 24 * 60 * 60 * 1000;
const now = systemClock.now();
export const host = 'www.site.test';
export const authority = new CertificateAuthority('Test CA', now);

/** Issues a certificate that is valid from and until some days from now. */
export function issue(from: number, until: number, names: readonly string[] = [host]) {
  return authority.issue({ names, notBefore: now + from * dayMs, notAfter: now + until * dayMs });
}

export const valid = issue(-1, 90);
export const ownCertificate = authority.issueSelfSigned({
  names: [host],
  notBefore: now - dayMs,
  notAfter: now + 90 * dayMs,
});

/** Ciphers that OpenSSL's default security level forbids. */
export const allCiphers = 'ALL:COMPLEMENTOFALL:@SECLEVEL=0';

/** Offers only ciphers with a DHE key exchange. */
export const dhe = {
  ciphers: 'DHE-RSA-AES128-GCM-SHA256',
  dhparam: 'auto',
  maxVersion: 'TLSv1.2',
} satisfies TlsOptions;

export interface Site extends AsyncDisposable {
  readonly port: number;
  readonly connections: { total: number };
  readonly servernames: readonly (string | false)[];
}

/** Starts a TLS server, which may staple an OCSP response. */
export async function startTls(options: TlsOptions = {}, staple?: Buffer): Promise<Site> {
  const servernames: (string | false)[] = [];
  const server = createTlsServer({ ...valid, ...options }, (socket) => {
    servernames.push(socket.servername ?? false);
    socket.on('error', () => {});
  })
    .on('tlsClientError', () => {})
    .on('OCSPRequest', (_certificate, _issuer, callback) => callback(null, staple ?? null));
  return listen(server, servernames);
}

/** Starts a server that passes each connection to `serve`, with its number from 1. */
export function startTcp(serve: (socket: Socket, count: number) => void): Promise<Site> {
  let count = 0;
  return listen(
    createServer((socket) =>
      serve(
        socket.on('error', () => {}),
        (count += 1),
      ),
    ),
    [],
  );
}

async function listen(server: Server, servernames: Site['servernames']): Promise<Site> {
  const connections = { total: 0 };
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.total += 1;
    sockets.add(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    servernames,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

interface ScanOptions extends Partial<TlsReaderOptions> {
  readonly profile?: TlsProfile;
  readonly request?: Partial<SiteRequest>;
  readonly name?: string;
  readonly ca?: string;
}

/** Scans a site on loopback. */
export function scan(port: number, options: ScanOptions = {}): Promise<TlsScan> {
  const { profile, request, name = host, ca = authority.certificate, ...reader } = options;
  const read = tlsReader({
    serverOf: () => ({ address: '127.0.0.1', port, ca }),
    clock: systemClock,
    acquireSlot: async () => () => {},
    ...reader,
  });
  return read({ target: parseSiteHost(name), ...(profile && { profile }) }, requestOf(request));
}

export function requestOf(request: Partial<SiteRequest> = {}): SiteRequest {
  return {
    signal: new AbortController().signal,
    account: 'test',
    queueDeadline: systemClock.now() + 60_000,
    ...request,
  };
}

/** A clock whose timers of at most `limitMs` end after a tenth of a second. */
export function impatientClock(limitMs: number): Clock {
  return { ...systemClock, after: (ms, task) => systemClock.after(ms <= limitMs ? 100 : ms, task) };
}

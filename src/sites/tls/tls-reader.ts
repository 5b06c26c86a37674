import type { ConnectionOptions } from 'node:tls';
import { withTimeLimit } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { SiteServer, SiteServerOf } from '../../outbound/dispatcher.ts';
import {
  checkedLookup,
  ForbiddenAddressError,
  isPublicAddress,
  type Resolve,
} from '../../outbound/public-address.ts';
import type { RecordsOptions } from '../dns/read-records.ts';
import type { ReadFact, SiteRequest } from '../site-facts.ts';
import { describeScan, type ScanResults, type TlsScan } from './describe-scan.ts';
import { isHandshake, shakeHands, type HandshakeResult } from './handshake.ts';
import { cipherProbes, defaultProbe, http2Probe, protocolProbes } from './probes.ts';
import { tlsFindings } from './tls-findings.ts';
import type { TlsProfile } from './tls-scan.ts';

export interface TlsReaderOptions extends Pick<RecordsOptions, 'acquireSlot' | 'clock'> {
  readonly serverOf: SiteServerOf;
  /** Replaces `dns.lookup`. */
  readonly resolve?: Resolve;
}

/** A scan of a host. The signal ends it; probes that are not finished have no result. */
interface ScanOptions extends TlsReaderOptions, Pick<SiteRequest, 'signal' | 'onSent'> {
  readonly host: string;
}

interface FirstContact {
  readonly server: SiteServer;
  readonly result: HandshakeResult;
}

const scanTimeoutMs = 20_000;
const maxConnections = 2;

/**
 * Creates the reader of what a server offers over TLS at port 443. It rejects with
 * `site_unreachable`, `site_blocked` or `site_timeout` if no handshake completes.
 */
export function tlsReader(options: TlsReaderOptions): ReadFact<TlsScan> {
  const { clock, acquireSlot } = options;
  return async ({ target: { host }, profile = 'standard' }, request) => {
    const release = await acquireSlot(host, request);
    if (!release) throw neverSent(host);

    const deadline = new AbortController();
    const cancelTimer = clock.after(scanTimeoutMs, () => deadline.abort());
    try {
      if (request.signal.aborted || clock.now() > request.queueDeadline) throw neverSent(host);

      const signal = AbortSignal.any([request.signal, deadline.signal]);
      const result = await scan({ ...options, host, signal, onSent: request.onSent }, profile);
      // No caller waits for it, and it is not complete.
      if (request.signal.aborted)
        throw new Problem('site_timeout', `The scan of ${host} was aborted.`);
      return result;
    } finally {
      cancelTimer();
      release();
    }
  };
}

function neverSent(host: string): Problem {
  return new Problem('site_timeout', `${host} could not be contacted in time.`);
}

/** Scans a server: a handshake per probe, all with the same address. Rejects if none completes. */
async function scan(options: ScanOptions, profile: TlsProfile): Promise<TlsScan> {
  const { host, serverOf, clock } = options;
  const startedAt = clock.elapsed();
  const { server, result: first } = await contact(options);
  const ciphers = profile === 'full' ? cipherProbes() : undefined;
  const results = await shakeAll(
    server,
    new Map([...protocolProbes, ['h2', http2Probe], ...(ciphers?.probes ?? [])]),
    options,
  );
  const resultOf = <Id extends string>([id]: readonly [Id, ConnectionOptions]) =>
    [id, results.get(id)] as const;
  const completed: ScanResults = {
    host,
    profile,
    address: serverOf(host, port) === undefined ? server.address : null,
    first,
    protocols: protocolProbes.map(resultOf),
    http2: results.get('h2'),
    ciphers: ciphers?.probes.map(resultOf),
    impossibleCiphers: ciphers?.impossible ?? [],
  };
  const shown = isHandshake(first)
    ? first
    : completed.protocols.map(([, result]) => result).findLast(isHandshake);
  if (!shown) throw problemOf(first, host);

  const described = describeScan(completed, shown, Math.round(clock.elapsed() - startedAt));
  return { ...described, findings: tlsFindings(described, clock.now()) };
}

/** Connects to the first address that accepts a connection. */
async function contact(options: ScanOptions): Promise<FirstContact> {
  const { host, clock, signal, onSent } = options;
  const found = findServers(options);
  const servers = await withTimeLimit(found, { clock, ms: scanTimeoutMs, signal });
  if (!servers) throw new Problem('site_timeout', `${host} could not be resolved in time.`);
  if (servers.length > 0 && !signal.aborted) onSent?.();

  let last: FirstContact | undefined;
  for (const server of servers) {
    last = { server, result: await shake(server, defaultProbe, options) };
    if (endsSearch(last.result)) break;
  }

  if (!last) throw new Problem('site_unreachable', `${host} has no address.`);
  if (isFinal(last.result)) throw problemOf(last.result, host);

  return last;
}

/** Returns the results by the ids of the probes. */
async function shakeAll(
  server: SiteServer,
  probes: ReadonlyMap<string, ConnectionOptions>,
  options: ScanOptions,
): Promise<ReadonlyMap<string, HandshakeResult>> {
  const results = new Map<string, HandshakeResult>();
  const waiting = probes.entries();
  const shakeNext = async () => {
    for (const [id, probe] of waiting) results.set(id, await shake(server, probe, options));
  };
  await Promise.all(Array.from({ length: maxConnections }, shakeNext));

  return results;
}

async function shake(
  server: SiteServer,
  tls: ConnectionOptions,
  { host, clock, signal }: ScanOptions,
): Promise<HandshakeResult> {
  if (signal.aborted) return { reason: 'cancelled', code: 'ABORT_ERR', isConnected: false };
  return shakeHands({ host, server, tls, clock, signal });
}

function problemOf(result: HandshakeResult, host: string): Problem {
  if (isHandshake(result)) return new Problem('site_unreachable', `${host} failed.`);

  const { reason, code, isConnected } = result;
  if (reason === 'timeout' || reason === 'cancelled')
    return new Problem(
      'site_timeout',
      isConnected
        ? `${host} accepted a connection but did not finish the TLS handshake in time.`
        : `${host} did not accept a connection in time.`,
    );
  if (!isConnected)
    return new Problem('site_unreachable', `${host} could not be connected to (${code}).`);

  const detail =
    reason === 'not_tls'
      ? 'does not speak TLS at port 443'
      : `completes no TLS handshake (${code})`;

  return new Problem('site_unreachable', `${host} accepts connections but ${detail}.`);
}

/** Returns whether no other address is tried after a result. */
function endsSearch(result: HandshakeResult): boolean {
  return isHandshake(result) || result.isConnected || result.reason === 'cancelled';
}

/** A server that rejects or closes a connection may accept another protocol; others end the scan. */
function isFinal(result: HandshakeResult): boolean {
  return !isHandshake(result) && !['rejected', 'closed', 'failed'].includes(result.reason);
}

const port = 443;

/**
 * Returns the servers of a host that may be tried, in the order of the resolver: the first address
 * of each family. Rejects with `site_unreachable`, or `site_blocked` if an address is not public.
 */
async function findServers({
  host,
  serverOf,
  resolve,
}: ScanOptions): Promise<readonly SiteServer[]> {
  const server = serverOf(host, port);
  if (server === 'none')
    throw new Problem('site_unreachable', `${host} has no server at port ${port}.`);
  if (server) return [server];
  const addresses = await resolvePublic(host, resolve);
  return addresses.map((address) => ({ address, port }));
}

function resolvePublic(host: string, resolve: Resolve | undefined): Promise<readonly string[]> {
  const { promise, resolve: succeed, reject } = Promise.withResolvers<readonly string[]>();
  checkedLookup(isPublicAddress, resolve)(host, { all: true }, (error, addresses) => {
    if (error) return reject(resolveProblem(error, host));
    const found = typeof addresses === 'string' ? [] : addresses;
    const first = [4, 6].map((family) => found.findIndex((address) => address.family === family));
    const indexes = first.filter((index) => index >= 0).toSorted((a, b) => a - b);
    succeed(indexes.map((index) => found[index]?.address ?? ''));
  });

  return promise;
}

function resolveProblem(error: NodeJS.ErrnoException, host: string): Problem {
  return error instanceof ForbiddenAddressError
    ? new Problem('site_blocked', `${host} does not have a public address.`, { cause: error })
    : new Problem('site_unreachable', `${host} could not be resolved (${error.code ?? 'error'}).`, {
        cause: error,
      });
}

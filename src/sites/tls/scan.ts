import { createSecureContext, type ConnectionOptions } from 'node:tls';
import { withTimeLimit, type Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { SiteServer, SiteServerOf } from '../../outbound/dispatcher.ts';
import { tlsFindings } from './tls-findings.ts';
import {
  tlsVersions,
  type TlsProfile,
  type TlsScan,
  type TlsCipherCategoryId,
  type TlsVersion,
} from './tls-scan.ts';
import {
  checkedLookup,
  ForbiddenAddressError,
  isPublicAddress,
  type Resolve,
} from '../../outbound/public-address.ts';
import { isHandshake, shakeHands, type Handshake, type HandshakeResult } from './handshake.ts';
import { describeScan, type ScanResults } from './describe-scan.ts';

interface ScanOptions {
  readonly host: string;
  readonly profile: TlsProfile;
  readonly serverOf: SiteServerOf;
  readonly resolve: Resolve | undefined;
  readonly clock: Clock;
  /** Ends the scan; probes that are not finished have no result. */
  readonly signal: AbortSignal;
  readonly onSent: (() => void) | undefined;
}

interface FirstContact {
  readonly server: SiteServer;
  readonly result: HandshakeResult;
}

export const scanTimeoutMs = 20_000;
const maxConnections = 2;

/** One scan of a server: a handshake per probe, all with the same address. */
export class Scan {
  readonly #options: ScanOptions;
  #isSent = false;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** Scans the server. Rejects with a `Problem` if no handshake completes. */
  async run(): Promise<TlsScan> {
    const { host, profile, serverOf, clock } = this.#options;
    const startedAt = clock.elapsed();
    const { server, result: first } = await this.#contact();
    const ciphers = profile === 'full' ? cipherProbes() : undefined;
    const results = await this.#shakeAll(
      server,
      new Map([...protocolProbes, ['h2', http2Probe], ...(ciphers?.probes ?? [])]),
    );
    const resultOf = <Id extends string>([id]: readonly [Id, ConnectionOptions]) =>
      [id, results.get(id)] as const;
    const completed: ScanResults = {
      host,
      profile,
      address: serverOf(host, 443) === undefined ? server.address : null,
      first,
      protocols: protocolProbes.map(resultOf),
      http2: results.get('h2'),
      ciphers: ciphers?.probes.map(resultOf),
      impossibleCiphers: ciphers?.impossible ?? [],
    };
    const shown = isHandshake(first) ? first : newestHandshake(completed);
    if (!shown) throw this.#problemOf(first);

    const scan = describeScan(completed, shown, Math.round(clock.elapsed() - startedAt));
    return { ...scan, findings: tlsFindings(scan, clock.now()) };
  }

  /** Connects to the first address that accepts a connection. */
  async #contact(): Promise<FirstContact> {
    const { host, serverOf, resolve, clock, signal } = this.#options;
    const found = findServers(host, serverOf, resolve);
    const servers = await withTimeLimit(found, { clock, ms: scanTimeoutMs, signal });
    if (!servers) throw new Problem('site_timeout', `${host} could not be resolved in time.`);

    let contact: FirstContact | undefined;
    for (const server of servers) {
      contact = { server, result: await this.#shake(server, defaultProbe) };
      if (endsSearch(contact.result)) break;
    }

    if (!contact) throw new Problem('site_unreachable', `${host} has no address.`);
    if (isFinal(contact.result)) throw this.#problemOf(contact.result);

    return contact;
  }

  /** Returns the results by the ids of the probes. */
  async #shakeAll(
    server: SiteServer,
    probes: ReadonlyMap<string, ConnectionOptions>,
  ): Promise<ReadonlyMap<string, HandshakeResult>> {
    const results = new Map<string, HandshakeResult>();
    const waiting = probes.entries();
    const shakeNext = async () => {
      for (const [id, probe] of waiting) results.set(id, await this.#shake(server, probe));
    };
    await Promise.all(Array.from({ length: maxConnections }, shakeNext));

    return results;
  }

  async #shake(server: SiteServer, tls: ConnectionOptions): Promise<HandshakeResult> {
    const { host, clock, signal, onSent } = this.#options;
    if (signal.aborted) return { reason: 'cancelled', code: 'ABORT_ERR', isConnected: false };
    if (!this.#isSent) onSent?.();
    this.#isSent = true;
    return shakeHands({ host, server, tls, clock, signal });
  }

  #problemOf(result: HandshakeResult): Problem {
    const { host } = this.#options;
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
}

/** Returns the handshake with the newest protocol that is offered. */
function newestHandshake({ protocols }: ScanResults): Handshake | undefined {
  return protocols.map(([, result]) => result).findLast(isHandshake);
}

/** Returns whether no other address is tried after a result. */
function endsSearch(result: HandshakeResult): boolean {
  return isHandshake(result) || result.isConnected || result.reason === 'cancelled';
}

/** A server that rejects or closes a connection may accept another protocol; others end the scan. */
function isFinal(result: HandshakeResult): boolean {
  return !isHandshake(result) && !['rejected', 'closed', 'failed'].includes(result.reason);
}

/**
 * Security level 0 allows old protocols, weak ciphers and short keys, for which a scan looks. DHE is
 * excluded: the server chooses its group, and one of 10,000 bits blocks the event loop for more than
 * a second.
 */
const restrictions = '!kDHE:@SECLEVEL=0';
const allCiphers = `ALL:!aNULL:!eNULL:${restrictions}`;

/** The probe that lets the server choose protocol and cipher. */
const defaultProbe: ConnectionOptions = {
  minVersion: 'TLSv1',
  maxVersion: 'TLSv1.3',
  ciphers: allCiphers,
  requestOCSP: true,
};

/** The probe that offers HTTP/2 only (ALPN). */
const http2Probe: ConnectionOptions = { ...defaultProbe, ALPNProtocols: ['h2'] };

/** A probe for each version of TLS, oldest first. */
const protocolProbes: readonly (readonly [TlsVersion, ConnectionOptions])[] = tlsVersions.map(
  (version) => [
    version,
    { minVersion: version, maxVersion: version, ciphers: allCiphers, requestOCSP: true },
  ],
);

const notAead = '!AESGCM:!AESCCM:!AESCCM8:!ARIAGCM:!CHACHA20';

/** Ciphers by category, in OpenSSL's format. */
const cipherLists: Readonly<Record<TlsCipherCategoryId, string>> = {
  null: 'eNULL',
  anonymous: 'aNULL',
  export_or_low: 'EXPORT:LOW',
  rc4: 'RC4',
  triple_des: '3DES',
  static_rsa: 'kRSA:!eNULL',
  cbc: `ALL:!aNULL:!eNULL:!RC4:!PSK:!SRP:${notAead}`,
  aead: 'AESGCM:AESCCM:AESCCM8:ARIAGCM:CHACHA20:!aNULL:!PSK',
};

interface CipherProbes {
  readonly probes: readonly (readonly [TlsCipherCategoryId, ConnectionOptions])[];
  /** The categories of which OpenSSL has no cipher. */
  readonly impossible: readonly TlsCipherCategoryId[];
}

/** Returns the probes that the OpenSSL of this process can send. */
export function cipherProbes(): CipherProbes {
  const categories = Object.keys(cipherLists) as TlsCipherCategoryId[];
  const probes = categories.map((id) => [id, cipherProbe(id)] as const);
  return {
    probes: probes.filter(([, probe]) => isPossible(probe)),
    impossible: probes.filter(([, probe]) => !isPossible(probe)).map(([id]) => id),
  };
}

function cipherProbe(id: TlsCipherCategoryId): ConnectionOptions {
  // TLS 1.3 has ciphers of its own, which a server would choose instead.
  const ciphers = `${cipherLists[id]}:${restrictions}`;
  return { minVersion: 'TLSv1', maxVersion: 'TLSv1.2', ciphers };
}

function isPossible(probe: ConnectionOptions): boolean {
  try {
    createSecureContext(probe);
    return true;
  } catch {
    return false;
  }
}

const port = 443;

/**
 * Returns the servers of a host that may be tried, in the order of the resolver: the first address
 * of each family. Rejects with `site_unreachable`, or `site_blocked` if an address is not public.
 */
async function findServers(
  host: string,
  serverOf: SiteServerOf,
  resolve: Resolve | undefined,
): Promise<readonly SiteServer[]> {
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
    if (error) return reject(problemOf(error, host));
    const found = typeof addresses === 'string' ? [] : addresses;
    const first = [4, 6].map((family) => found.findIndex((address) => address.family === family));
    const indexes = first.filter((index) => index >= 0).toSorted((a, b) => a - b);
    succeed(indexes.map((index) => found[index]?.address ?? ''));
  });

  return promise;
}

function problemOf(error: NodeJS.ErrnoException, host: string): Problem {
  return error instanceof ForbiddenAddressError
    ? new Problem('site_blocked', `${host} does not have a public address.`, { cause: error })
    : new Problem('site_unreachable', `${host} could not be resolved (${error.code ?? 'error'}).`, {
        cause: error,
      });
}

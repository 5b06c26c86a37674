import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { SiteServer, SiteServerOf } from '../../outbound/site-server.ts';
import { tlsFindings } from './tls-findings.ts';
import type { TlsProfile, TlsScan } from './tls-scan.ts';
import type { Resolve } from '../../outbound/public-address.ts';
import { findServers } from './find-servers.ts';
import { isHandshake, shakeHands, type Handshake, type HandshakeResult } from './handshake.ts';
import { cipherProbes, defaultProbe, http2Probe, protocolProbes } from './probes.ts';
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
    const results = await this.#shakeAll(server, [
      ...protocolProbes.map(([, probe]) => probe),
      http2Probe,
      ...(ciphers?.probes ?? []).map(([, probe]) => probe),
    ]);
    const protocols = protocolProbes.map(([version], index) => [version, results[index]] as const);
    const completed: ScanResults = {
      host,
      profile,
      address: serverOf(host, 443) === undefined ? server.address : null,
      first,
      protocols,
      http2: results[protocols.length],
      ciphers: ciphers?.probes.map(
        ([id], index) => [id, results[protocols.length + 1 + index]] as const,
      ),
      impossibleCiphers: ciphers?.impossible ?? [],
    };
    const shown = isHandshake(first) ? first : newestHandshake(completed);
    if (!shown) throw this.#problemOf(first);
    const scan = describeScan(completed, shown, Math.round(clock.elapsed() - startedAt));
    return { ...scan, findings: tlsFindings(scan, clock.now()) };
  }

  /** Connects to the first address that accepts a connection. */
  async #contact(): Promise<FirstContact> {
    const { host, serverOf, resolve } = this.#options;
    const servers = await this.#untilAborted(findServers(host, serverOf, resolve));
    let contact: FirstContact | undefined;
    for (const server of servers) {
      contact = { server, result: await this.#shake(server, defaultProbe) };
      if (endsSearch(contact.result)) break;
    }
    if (!contact) throw new Problem('site_unreachable', `${host} has no address.`);
    if (isFinal(contact.result)) throw this.#problemOf(contact.result);
    return contact;
  }

  async #untilAborted<T>(promise: Promise<T>): Promise<T> {
    const { host, signal } = this.#options;
    const aborted = Promise.withResolvers<never>();
    const abort = () =>
      aborted.reject(new Problem('site_timeout', `${host} could not be resolved in time.`));
    signal.addEventListener('abort', abort);
    try {
      return await Promise.race([promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Returns the results in the order of the probes. */
  async #shakeAll(
    server: SiteServer,
    probes: readonly ConnectionOptions[],
  ): Promise<readonly HandshakeResult[]> {
    const results: HandshakeResult[] = [];
    const waiting = probes.entries();
    const shakeNext = async () => {
      for (const [index, probe] of waiting) results[index] = await this.#shake(server, probe);
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

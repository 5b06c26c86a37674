import { checkServerIdentity, connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { Clock } from '../../clock.ts';
import type { SiteServer } from '../../outbound/dispatcher.ts';
import type { TlsCertificate, TlsVersion } from './tls-scan.ts';
import type { X509Certificate } from 'node:crypto';
import { printable } from '../../shared/printable.ts';

/** What a handshake shows: one that was completed, or that lacks only a client certificate. */
export interface Handshake {
  /** Whether the server ended it after its certificate, because it got no client certificate. */
  readonly needsClientCertificate: boolean;
  readonly protocol: TlsVersion;
  /** In OpenSSL's spelling. */
  readonly cipher: string;
  readonly keyExchange: string | null;
  /** The server's own first. */
  readonly certificates: readonly TlsCertificate[];
  readonly matchesHost: boolean | null;
  /** Null if a client certificate is needed: the server's is verified at the end. */
  readonly isTrusted: boolean | null;
  /** OpenSSL's reason, or that of the host name check; null if there is none. */
  readonly trustError: string | null;
  /** Null if none was selected, and if a client certificate is needed. */
  readonly alpn: string | null;
  readonly hasOcspStaple: boolean;
}

/**
 * Why a handshake shows nothing. `rejected`: the server or OpenSSL ended it because they share no
 * protocol, cipher or application protocol. `not_tls`: the server sent something else. `closed`: the
 * server closed or reset the connection. `unreachable`: no TCP connection. `timeout`: with
 * `isConnected`, the server accepted the connection but did not finish the handshake.
 */
interface HandshakeFailure {
  readonly reason:
    'rejected' | 'not_tls' | 'closed' | 'failed' | 'unreachable' | 'timeout' | 'cancelled';
  readonly isConnected: boolean;
  /** Such as `ECONNREFUSED`. */
  readonly code: string;
}

export type HandshakeResult = Handshake | HandshakeFailure;

/** Returns whether a handshake shows something. */
export function isHandshake(result: HandshakeResult | undefined): result is Handshake {
  return result !== undefined && !('reason' in result);
}

interface HandshakeOptions {
  readonly host: string;
  readonly server: SiteServer;
  readonly tls: ConnectionOptions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const timeoutMs = 5000;

/** OpenSSL's codes for a handshake that ends because nothing is in common. */
const rejectionCodes = new Set([
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY',
  'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
]);
const otherProtocolCodes = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_HTTP_REQUEST',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_RECORD_LAYER_FAILURE',
]);

/**
 * OpenSSL's codes for the alerts of a server that got no client certificate. RFC 5246 section 7.4.6
 * specifies `handshake_failure`; some servers send others.
 */
const clientCertificateCodes =
  /_ALERT_(?:HANDSHAKE_FAILURE|(?:NO|BAD)_CERTIFICATE|CERTIFICATE_(?:UNKNOWN|REQUIRED)|UNKNOWN_CA|ACCESS_DENIED)$/;

/** Connects, completes the handshake and closes the connection. Never rejects. */
export function shakeHands(options: HandshakeOptions): Promise<HandshakeResult> {
  return new Connection(options).result;
}

class Connection {
  readonly #options: HandshakeOptions;
  readonly #result = Promise.withResolvers<HandshakeResult>();
  readonly #socket: TLSSocket;
  readonly #cancelTimer: () => void;
  readonly #cancel = () => this.#fail('cancelled', 'ABORT_ERR');
  #isConnected = false;
  #hasOcspStaple = false;

  constructor(options: HandshakeOptions) {
    const { host, server, tls, clock, signal } = options;
    this.#options = options;
    this.#cancelTimer = clock.after(timeoutMs, () => this.#fail('timeout', 'ETIMEDOUT'));
    this.#socket = connect({
      host: server.address,
      port: server.port,
      servername: host,
      // Untrusted certificates are reported, too. Nothing is sent over the connection.
      rejectUnauthorized: false,
      ...(server.ca !== undefined && { ca: server.ca }),
      ...tls,
    })
      .on('connect', () => (this.#isConnected = true))
      .on('OCSPResponse', (response: Buffer | null) => (this.#hasOcspStaple = !!response?.length))
      .on('secureConnect', () => this.#complete(false))
      .on('error', (error: NodeJS.ErrnoException) => this.#failWith(error.code ?? error.message))
      .on('close', () => this.#failWith('ECONNRESET'));
    signal.addEventListener('abort', this.#cancel);
    if (signal.aborted) this.#cancel();
  }

  get result(): Promise<HandshakeResult> {
    return this.#result.promise;
  }

  #complete(needsClientCertificate: boolean): void {
    try {
      this.#end(this.#describe(needsClientCertificate));
    } catch {
      // Node throws for certificates that it cannot represent, and this is an event handler.
      this.#fail('failed', 'ERR_INVALID_CERTIFICATE');
    }
  }

  #describe(needsClientCertificate: boolean): Handshake {
    const socket = this.#socket;
    const key = socket.getEphemeralKeyInfo();
    const certificate = socket.getPeerX509Certificate();

    // Node's types call it an Error, but it is the code.
    const trustError = socket.authorized ? null : String(socket.authorizationError);
    return {
      needsClientCertificate,
      protocol: socket.getProtocol() as TlsVersion,
      cipher: socket.getCipher().name,
      keyExchange: (key && 'name' in key && key.name) || (key && 'type' in key && key.type) || null,
      certificates: chainOf(certificate),
      matchesHost: certificate ? matchesHost(this.#options.host, socket) : null,
      isTrusted: needsClientCertificate ? null : socket.authorized,
      trustError: needsClientCertificate ? null : trustError,
      alpn: socket.alpnProtocol || null,
      hasOcspStaple: this.#hasOcspStaple,
    };
  }

  #failWith(code: string): void {
    if (!this.#isConnected) return this.#fail('unreachable', code);
    // A server that rejects the protocol or the ciphers does so before it sends a certificate.
    if (clientCertificateCodes.test(code) && this.#socket.getPeerX509Certificate())
      return this.#complete(true);
    if (rejectionCodes.has(code)) return this.#fail('rejected', code);
    if (otherProtocolCodes.has(code)) return this.#fail('not_tls', code);

    this.#fail(code === 'ECONNRESET' || code === 'EPIPE' ? 'closed' : 'failed', code);
  }

  #fail(reason: HandshakeFailure['reason'], code: string): void {
    this.#end({ reason, code, isConnected: this.#isConnected });
  }

  #end(result: HandshakeResult): void {
    this.#cancelTimer();
    this.#options.signal.removeEventListener('abort', this.#cancel);
    this.#result.resolve(result);
    this.#socket.destroy();
  }
}

function matchesHost(host: string, socket: TLSSocket): boolean {
  return checkServerIdentity(host, socket.getPeerCertificate()) === undefined;
}

/** A site may send as many as fit into 100 kB. */
const maxCertificates = 10;
const maxNames = 500;
const maxTextLength = 256;

/** Returns the certificates that a server sent, its own first. */
function chainOf(certificate: X509Certificate | undefined): readonly TlsCertificate[] {
  const chain: TlsCertificate[] = [];
  const seen = new Set<string>();
  let next = certificate;
  while (next && !seen.has(next.fingerprint256) && chain.length < maxCertificates) {
    seen.add(next.fingerprint256);
    chain.push(describe(next));
    next = next.issuerCertificate;
  }

  return chain;
}

function describe(certificate: X509Certificate): TlsCertificate {
  const { subject, issuer, bits } = certificate.toLegacyObject();
  return {
    subject: textOf(subject?.CN),
    organization: textOf(subject?.O),
    issuer: textOf(issuer?.CN) ?? textOf(issuer?.O),
    names: namesOf(certificate.subjectAltName),
    serialNumber: certificate.serialNumber.toLowerCase().slice(0, maxTextLength),
    notBefore: timeOf(certificate.validFrom),
    notAfter: timeOf(certificate.validTo),
    keyType: keyTypeOf(certificate),
    keySize: bits ?? null,
    signatureAlgorithm: textOf(certificate.signatureAlgorithm),
    fingerprintSha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

/** A certificate may have several values for a name; the last is the most specific. */
function textOf(value: string | readonly string[] | undefined): string | null {
  const text = typeof value === 'string' ? value : value?.at(-1);
  return text ? printable(text.slice(0, maxTextLength)) : null;
}

/** Reads Node's text of the names. It quotes names with a comma, which are no host names. */
function namesOf(alternatives: string | undefined): readonly string[] {
  const matches = (alternatives ?? '').matchAll(
    /(?:^|, )(?:DNS|IP Address):([^",]{1,253})(?=,|$)/g,
  );
  const names = Array.from(matches, ([, name = '']) => printable(name.toLowerCase()));
  return [...new Set(names)].slice(0, maxNames);
}

/**
 * Returns a date of OpenSSL in epoch ms; null for one that it cannot read, for which it rejects the
 * certificate. Node.js then returns a random time as `validToDate`.
 */
function timeOf(date: string): number | null {
  const time = Date.parse(date);
  return Number.isNaN(time) ? null : time;
}

/** Returns such as `rsa`; null for keys that OpenSSL cannot read. */
function keyTypeOf(certificate: X509Certificate): string | null {
  try {
    return certificate.publicKey.asymmetricKeyType ?? null;
  } catch {
    return null;
  }
}

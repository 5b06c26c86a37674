import { createSecureContext, type SecureContext } from 'node:tls';
import type { Clock } from '../clock.ts';
import { CertificateAuthority, type KeyAndCertificate } from './certificates.ts';
import { siteOf } from './site-names.ts';

const dayMs = 24 * 60 * 60 * 1000;
const maxContexts = 200;

/** Creates the certificates of sites when they are first used. */
export class SiteCertificates {
  readonly #clock: Clock;
  readonly #authority: CertificateAuthority;
  readonly #contexts = new Map<string, SecureContext>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#authority = new CertificateAuthority('Sandbox CA', clock.now());
  }

  /** The certificate of the CA that issues all of them, in PEM. */
  get authority(): string {
    return this.#authority.certificate;
  }

  /** Returns the certificate for a host name; undefined if it has no site. */
  contextOf(host: string): SecureContext | undefined {
    const known = this.#contexts.get(host);
    if (known) return known;
    const certificate = this.#certificateOf(host);
    if (!certificate) return undefined;
    const context = createSecureContext({ ...certificate, ciphers: 'DEFAULT@SECLEVEL=0' });
    if (this.#contexts.size >= maxContexts) this.#contexts.clear();
    this.#contexts.set(host, context);
    return context;
  }

  #certificateOf(host: string): KeyAndCertificate | undefined {
    const site = siteOf(host);
    if (!site) return undefined;
    const { domain, behaviour } = site;
    const now = this.#clock.now();
    const options = {
      names: behaviour === 'wrong-name' ? ['other.test'] : [domain, `www.${domain}`],
      organization: 'Sandbox Example Ltd',
      notBefore: now - 60 * dayMs,
      notAfter: behaviour === 'expired' ? now - 10 * dayMs : now + 30 * dayMs,
    };
    return behaviour === 'self-signed'
      ? this.#authority.issueSelfSigned(options)
      : this.#authority.issue(options);
  }
}

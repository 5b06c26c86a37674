import { Problem } from '../../domain/problems.ts';
import { registrableDomain } from '../registrable-domain.ts';
import { maxProbes } from './probes.ts';

/** Of a robots.txt: it and five redirects (RFC 9309 section 2.3.1.2). */
const maxRobotsRequests = 6;

/** All probes with a redirect each, and one robots.txt of another origin. */
const maxRequests = 2 * maxProbes + maxRobotsRequests;

/** Limits the requests of one read of signals: without it, redirects would multiply them. */
export class ProbeBudget {
  readonly #domain: string;
  readonly #origins: Set<string>;
  #left = maxRequests;

  constructor({ origin, hostname }: URL) {
    this.#domain = registrableDomain(hostname);
    this.#origins = new Set([origin]);
  }

  /** Counts a request, and that of a robots.txt at the first request to another origin. */
  take({ origin, hostname }: URL): void {
    if (registrableDomain(hostname) !== this.#domain)
      throw new Problem('site_blocked', `The redirect to ${hostname} leaves ${this.#domain}.`);
    const count = this.#origins.has(origin) ? 1 : 1 + maxRobotsRequests;
    if (this.#left < count)
      throw new Problem('site_blocked', `The limit of ${maxRequests} requests was reached.`);
    this.#left -= count;
    this.#origins.add(origin);
  }
}

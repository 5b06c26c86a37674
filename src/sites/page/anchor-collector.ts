import { isProfileLink } from './profile-handle.ts';
import type { AnchorSummary } from './page-visit.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { PageBudget } from './page-text.ts';

const maxProfiles = 100;

/** Counts the links of a page, and collects those to profiles. */
export class AnchorCollector {
  readonly #domain: string;
  readonly #budget: PageBudget;
  readonly #relMe: string[] = [];
  readonly #profiles: string[] = [];
  readonly #seen = new Set<string>();
  /** Whether a host is of the same site: a page links to few hosts, each many times. */
  readonly #isInternalByHost = new Map<string, boolean>();
  #internal = 0;
  #external = 0;

  constructor(page: URL, budget: PageBudget) {
    this.#domain = registrableDomain(page.hostname);
    this.#budget = budget;
  }

  get summary(): AnchorSummary {
    return {
      total: this.#internal + this.#external,
      internal: this.#internal,
      external: this.#external,
      relMe: this.#relMe,
      profiles: this.#profiles,
    };
  }

  add(url: URL, rel: readonly string[]): void {
    if (this.#isInternal(url.hostname)) this.#internal += 1;
    else this.#external += 1;
    const isMe = rel.includes('me');
    if (this.#seen.has(url.href) || !(isMe || isProfileLink(url))) return;
    this.#seen.add(url.href);
    this.#budget.add(isMe ? this.#relMe : this.#profiles, maxProfiles, url.href, url.href);
  }

  #isInternal(host: string): boolean {
    const cached = this.#isInternalByHost.get(host);
    if (cached !== undefined) return cached;
    const isInternal = registrableDomain(host) === this.#domain;
    this.#isInternalByHost.set(host, isInternal);
    return isInternal;
  }
}

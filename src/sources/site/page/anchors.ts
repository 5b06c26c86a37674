import { isProfileLink } from '../../../domain/site/identity/profile-handle.ts';
import type { AnchorSummary } from '../../../domain/site/page-visit.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { PageBudget } from './page-text.ts';

const maxProfiles = 100;

/** Counts the links of a page, and collects those to profiles. */
export class AnchorReader {
  readonly #site: string;
  readonly #budget: PageBudget;
  readonly #relMe: string[] = [];
  readonly #profiles: string[] = [];
  readonly #seen = new Set<string>();
  /** Whether a host is of the same site. Most links of a page have few hosts. */
  readonly #isInternal = new Map<string, boolean>();
  #internal = 0;
  #external = 0;

  constructor(page: URL, budget: PageBudget) {
    this.#site = registrableDomain(page.hostname);
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
    if (this.#isOfSite(url.hostname)) this.#internal += 1;
    else this.#external += 1;
    const isMe = rel.includes('me');
    if (this.#seen.has(url.href) || !(isMe || isProfileLink(url))) return;
    this.#seen.add(url.href);
    this.#budget.add(isMe ? this.#relMe : this.#profiles, maxProfiles, url.href, url.href);
  }

  #isOfSite(host: string): boolean {
    const known = this.#isInternal.get(host);
    if (known !== undefined) return known;
    const isOfSite = registrableDomain(host) === this.#site;
    this.#isInternal.set(host, isOfSite);
    return isOfSite;
  }
}

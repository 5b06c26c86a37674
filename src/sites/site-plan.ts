import { Problem } from '../domain/problems.ts';
import { siteLookup, type SiteLookup } from './lookups.ts';
import type { SiteQuery } from './site-facts.ts';
import { homePageOf, type SiteTarget } from './site-target.ts';
import type { TlsProfile } from './tls/tls-scan.ts';

/** A lookup as a field selects it. */
export interface SelectedSiteLookup {
  readonly lookup: SiteLookup;
  /** For `tls`. */
  readonly profile?: TlsProfile | undefined;
  /** The maximum age of a cached result, in seconds. */
  readonly maxAge?: number | undefined;
}

/** A lookup of the plan, for all fields that select it. */
export interface PlannedSiteLookup {
  readonly id: string;
  readonly lookup: SiteLookup;
  readonly query: SiteQuery;
  /** The smallest that is selected. */
  readonly maxAge: number | undefined;
}

/** Of one operation: a single lookup may send dozens of requests. */
const maxLookups = 50;

/** The lookups of one operation about sites, each once. */
export class SitePlan {
  readonly #lookups = new Map<string, PlannedSiteLookup>();

  get lookups(): readonly PlannedSiteLookup[] {
    return [...this.#lookups.values()];
  }

  /** Adds a lookup. Throws `too_many_lookups` if the operation has more than 50. */
  add(selected: SelectedSiteLookup, target: SiteTarget): void {
    const planned = plannedLookup(selected, target);
    const ages = [planned.maxAge, this.#lookups.get(planned.id)?.maxAge];
    const set = ages.filter((age) => age !== undefined);
    const maxAge = set.length > 0 ? Math.min(...set) : undefined;
    this.#lookups.set(planned.id, { ...planned, maxAge });
    if (this.#lookups.size > maxLookups) throw tooManyLookups();
  }

  /** Returns the planned lookup of a field. Throws an Error if `add` was not called for it. */
  find(selected: SelectedSiteLookup, target: SiteTarget): PlannedSiteLookup {
    const { id } = plannedLookup(selected, target);
    const planned = this.#lookups.get(id);
    if (!planned) throw new Error(`no lookup is planned for ${id}`);
    return planned;
  }
}

function plannedLookup(
  { lookup, profile, maxAge }: SelectedSiteLookup,
  selectedTarget: SiteTarget,
): PlannedSiteLookup {
  const target =
    siteLookup(lookup).about === 'page' ? selectedTarget : homePageOf(selectedTarget.host);
  return {
    id: `${lookup} ${profile ?? ''} ${target.isExact} ${target.url.href}`,
    lookup,
    query: { target, ...(profile && { profile }) },
    maxAge,
  };
}

function tooManyLookups(): Problem {
  return new Problem(
    'too_many_lookups',
    `This request selects more than ${maxLookups} site lookups. Select fewer fields or fewer sites.`,
  );
}

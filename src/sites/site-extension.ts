import { Problem } from '../domain/problems.ts';
import type {
  SelectedField,
  Extension,
  ExtensionOperation,
  ExtensionSelection,
} from '../domain/extension.ts';
import { siteLookupOf } from './lookups.ts';
import { SiteLookups, type SiteParts } from './site-lookups.ts';
import { SitePlan, type SelectedSiteLookup } from './site-plan.ts';
import { homePageOf, parseSiteTarget, parseSiteUrl, type SiteTarget } from './site-target.ts';
import { tlsProfileOf } from './tls/tls-scan.ts';

/** The site lookups of operations. Everything else knows them only as an `Extension`. */
export class SiteExtension implements Extension {
  readonly rootFields = new Map([
    ['site', 'Host'],
    ['page', 'Page'],
  ]);
  readonly isLookup = (field: string) => siteLookupOf(field) !== undefined;
  readonly #parts: SiteParts;

  constructor(parts: SiteParts) {
    this.#parts = parts;
  }

  open(selections: readonly ExtensionSelection[], operation: ExtensionOperation): SiteLookups {
    const plan = new SitePlan();
    for (const selection of selections) addTo(plan, selection);
    return new SiteLookups(plan, this.#parts, operation);
  }
}

function addTo(plan: SitePlan, { root, names, selected }: ExtensionSelection): void {
  // The field `page` is itself a lookup.
  const lookups = (root?.name === 'page' ? [root] : selected).flatMap(selectedLookup);
  for (const target of root ? targetsOf(root) : names.map(homePageOf))
    for (const lookup of lookups) plan.add(lookup, target);
}

interface SiteArguments {
  readonly host?: string | null;
  readonly url?: string | null;
  readonly maxAge?: number | null;
  readonly profile?: string;
}

function selectedLookup({ name, args }: SelectedField): readonly SelectedSiteLookup[] {
  const { maxAge, profile } = args as SiteArguments;
  const lookup = siteLookupOf(name);
  if (!lookup) return [];
  return [
    {
      lookup,
      maxAge: maxAge ?? undefined,
      ...(profile !== undefined && { profile: tlsProfileOf(profile) }),
    },
  ];
}

/** Returns the target of `site` or `page`; none if its arguments are invalid: the field then fails. */
function targetsOf({ name, args }: SelectedField): readonly SiteTarget[] {
  const { host, url } = args as SiteArguments;
  try {
    return [name === 'page' ? parseSiteUrl(url ?? '') : parseSiteTarget(host, url)];
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

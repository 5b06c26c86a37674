import type { Clock } from '../clock.ts';
import type {
  ExtensionLookups,
  ExtensionOperation,
  SelectedField,
  Extension,
  ExtensionSelection,
} from '../domain/extension.ts';
import { roundedMs, type Outcome } from '../domain/outcome.ts';
import { validateMaxAge } from '../domain/names/parsed-name.ts';
import { Problem, resultOrProblem } from '../domain/problems.ts';
import type { DisposableMailList } from './mail/disposable-mail.ts';
import type { Fact, SiteReader } from './fact.ts';
import type { SiteAnswer, SiteQuery } from './site-facts.ts';
import type { PageArguments, SiteLookup } from './site-lookup.ts';
import { homePageOf, parseSiteTarget, parseSiteUrl, type SiteTarget } from './site-target.ts';
import { tlsProfileOf, type TlsProfile } from './tls/tls-scan.ts';
import { getOrInsert } from '../shared/memoize.ts';

/** The parts of the gateway that site lookups use. */
export interface SiteParts {
  readonly reader: SiteReader;
  /** Returns whether the sandbox serves a site, at no charge. */
  readonly isSandbox: (host: string) => boolean;
  /** Returns why this gateway reads no facts of a kind: `not_implemented`, by its settings. */
  readonly refusalOf: (fact: Fact<unknown>, host: string) => Problem | undefined;
  /** The lookups by the field that selects them. */
  readonly lookups: ReadonlyMap<string, SiteLookup>;
  readonly disposableMail: DisposableMailList;
  readonly clock: Clock;
  /** Called with the outcome of each lookup. */
  readonly onOutcome: (lookup: string, outcome: Outcome<unknown>) => void;
}

/** The site lookups of one operation, each of which runs once. */
export class SiteLookups implements ExtensionLookups {
  readonly #plan: SitePlan;
  readonly #parts: SiteParts;
  readonly #operation: ExtensionOperation;
  readonly #outcomes = new Map<string, Promise<Outcome<unknown>>>();

  constructor(plan: SitePlan, parts: SiteParts, operation: ExtensionOperation) {
    this.#plan = plan;
    this.#parts = parts;
    this.#operation = operation;
  }

  get disposableMail(): DisposableMailList {
    return this.#parts.disposableMail;
  }

  /** Returns the current time, in epoch ms. */
  now(): number {
    return this.#parts.clock.now();
  }

  get count(): number {
    return this.#plan.lookups.length;
  }

  /** The price of all lookups that are planned, in credits, also for callers that are not metered. */
  get price(): number {
    return this.#plan.lookups.reduce((sum, planned) => sum + this.#priceOf(planned), 0);
  }

  /**
   * Returns the outcome of a lookup of the plan, which starts with the first call. Rejects only if
   * the gateway fails.
   */
  get<T>(
    selected: SelectedSiteLookup & { readonly lookup: SiteLookup<T> },
    target: SiteTarget,
  ): Promise<Outcome<T>> {
    const planned = this.#plan.find(selected, target);
    const outcome = getOrInsert(this.#outcomes, planned.id, () => this.#lookUp(planned));
    // The lookup is part of the id.
    return outcome as Promise<Outcome<T>>;
  }

  async #lookUp(planned: PlannedSiteLookup): Promise<Outcome<unknown>> {
    const { clock, reader } = this.#parts;
    const { meter, request, onFree } = this.#operation;
    const { id, lookup, query, maxAge } = planned;
    const startedAt = clock.elapsed();
    const price = this.#priceOf(planned);
    const refusal = this.#refusalOf(planned);
    let isSent = false;

    const onSent = () => {
      isSent = true;
      meter?.recordSent(id, price);
    };

    const caller = request();
    const answer = refusal
      ? { problem: refusal, cached: false }
      : await lookup.read(reader, query, maxAge, { ...caller, onSent });
    const outcome = outcomeOf(answer, maxAge, clock.elapsed() - startedAt);
    const hasPrice = price > 0 && outcome.data !== undefined;
    const isPaid = meter && hasPrice && lookup.isCharged?.(outcome.data) !== false;
    if (isPaid) meter.recordAnswered(id, price);
    // What was sent for a caller that has disconnected since is charged.
    else if (!caller.signal.aborted) meter?.recordFailed(id);

    if (isSent && !isPaid) onFree(lookup.workMs);
    this.#parts.onOutcome(lookup.name, outcome);
    this.#operation.onOutcome(outcome);

    return outcome;
  }

  #priceOf(planned: PlannedSiteLookup): number {
    const isSandbox = this.#parts.isSandbox(planned.query.target.host);
    return isSandbox || this.#refusalOf(planned) ? 0 : planned.lookup.price;
  }

  #refusalOf({ lookup, query }: PlannedSiteLookup): Problem | undefined {
    return this.#parts.refusalOf(lookup.fact, query.target.host);
  }
}

/**
 * Returns the outcome of a lookup. `maxAge`: the maximum age that the caller accepts, in seconds.
 */
function outcomeOf(
  result: SiteAnswer<unknown> | { readonly problem: Problem; readonly cached: boolean },
  maxAge: number | undefined,
  latencyMs: number,
): Outcome<unknown> {
  const common = { cached: result.cached, stale: false, latencyMs: roundedMs(latencyMs) };
  const checkedAt = 'checkedAt' in result ? result.checkedAt : undefined;
  if ('problem' in result)
    return {
      ...common,
      data: undefined,
      problem: result.problem,
      checkedAt,
      freshUntil: undefined,
    };

  const { data, freshUntil } = result;
  return {
    ...common,
    data,
    problem: undefined,
    checkedAt,
    // HTTP caches must not retain the result for longer than the caller accepts.
    freshUntil: Math.min(freshUntil, result.checkedAt + (maxAge ?? Infinity) * 1000),
  };
}

/** A lookup as a field selects it. */
export interface SelectedSiteLookup {
  readonly lookup: SiteLookup;
  /** For `tls`. */
  readonly profile?: TlsProfile | undefined;
  /** The maximum age of a cached result, in seconds. */
  readonly maxAge?: number | undefined;
}

/** A lookup of the plan, for all fields that select it. */
interface PlannedSiteLookup {
  readonly id: string;
  readonly lookup: SiteLookup;
  readonly query: SiteQuery;
  /** The smallest that is selected. */
  readonly maxAge: number | undefined;
}

/** Limits an operation, because a single lookup may send dozens of requests. */
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
    if (this.#lookups.size > maxLookups)
      throw new Problem(
        'too_many_lookups',
        `This request selects more than ${maxLookups} site lookups. Select fewer fields or fewer sites.`,
      );
  }

  /** Returns the planned lookup of a field. Throws `invalid_query` if the name is not an argument. */
  find(selected: SelectedSiteLookup, target: SiteTarget): PlannedSiteLookup {
    const { id } = plannedLookup(selected, target);
    const planned = this.#lookups.get(id);
    if (planned) return planned;
    const detail = `Fields about sites can be selected only on names that are arguments; select \`${selected.lookup.name}\` on \`domain(name:)\`.`;
    throw new Problem('invalid_query', detail);
  }
}

function plannedLookup(
  { lookup, profile, maxAge }: SelectedSiteLookup,
  selectedTarget: SiteTarget,
): PlannedSiteLookup {
  const target = lookup.about === 'page' ? selectedTarget : homePageOf(selectedTarget.host);
  return {
    id: `${lookup.name} ${profile ?? ''} ${target.isExact} ${target.url.href}`,
    lookup,
    query: { target, ...(profile && { profile }) },
    maxAge,
  };
}

/** Returns the site lookups of operations. Everything else knows them only as an `Extension`. */
export function siteExtension(parts: SiteParts): Extension {
  return {
    rootFields: new Map([
      ['site', 'Host'],
      ['page', 'Page'],
    ]),
    isLookup: (field) => parts.lookups.has(field),
    open(selections, operation) {
      const plan = new SitePlan();
      for (const selection of selections) addTo(plan, selection, parts.lookups);
      return new SiteLookups(plan, parts, operation);
    },
  };
}

function addTo(
  plan: SitePlan,
  { root, names, selected }: ExtensionSelection,
  known: SiteParts['lookups'],
): void {
  // The field `page` is itself a lookup.
  const lookups = (root?.name === 'page' ? [root] : selected).flatMap((field) =>
    validLookup(field, known.get(field.name)),
  );
  for (const target of root ? targetsOf(root) : names.map(homePageOf))
    for (const lookup of lookups) plan.add(lookup, target);
}

interface SiteArguments extends PageArguments {
  readonly host?: string | null;
  readonly url?: string | null;
  readonly maxAge?: number | null;
  readonly profile?: string;
}

/** Returns the lookup of a field. Throws the problem of its arguments, with the name of the field. */
function validLookup(
  field: SelectedField,
  lookup: SiteLookup | undefined,
): readonly SelectedSiteLookup[] {
  const selected = resultOrProblem(() => selectedLookup(field, lookup));
  if (!(selected instanceof Problem)) return selected;
  const { code, message, param } = selected;
  throw new Problem(code, `\`${field.name}\`: ${message}`, { param });
}

function selectedLookup(
  { args }: SelectedField,
  lookup: SiteLookup | undefined,
): readonly SelectedSiteLookup[] {
  if (!lookup) return [];

  const { maxAge, profile, ...others } = args as SiteArguments;
  lookup.check?.(others);

  return [
    {
      lookup,
      maxAge: validateMaxAge(maxAge),
      ...(profile !== undefined && { profile: tlsProfileOf(profile) }),
    },
  ];
}

/** Returns the target of `site` or `page`; none if its arguments are invalid: the field then fails. */
function targetsOf({ name, args }: SelectedField): readonly SiteTarget[] {
  const { host, url } = args as SiteArguments;
  const target = resultOrProblem(() =>
    name === 'page' ? parseSiteUrl(url ?? '') : parseSiteTarget(host, url),
  );
  return target instanceof Problem ? [] : [target];
}

import { withTimeLimit, type Clock } from '../clock.ts';
import type { SplitName } from '../domain/names/domain-name.ts';
import { Problem } from '../domain/problems.ts';
import { failedAnswer, sourceKindOf, withoutData, type Answer } from '../domain/answer.ts';
import type { AttemptRequest, NameQuery, Source } from '../domain/source.ts';
import { decide, type Ruling } from '../domain/verdict.ts';
import type { FailedNames } from './failed-names.ts';
import {
  queryRegistry,
  type RegistryAnswer,
  type RegistrySource,
  type SourceControls,
  SourceReports,
} from './registry-sources.ts';

interface CombinedOptions {
  /** The sources of the registry, in order of preference; none if only the DNS can be queried. */
  readonly registries: readonly RegistrySource[];
  /** Returns the DNS as a source; undefined if it must not be queried for the name. */
  readonly dnsOf: (name: SplitName) => Source | undefined;
  /**
   * The names for which the registry failed, although the DNS may have decided; the registry of the
   * sandbox is always queried.
   */
  readonly failedNames?: FailedNames;
  /** The time limit of the registry, from sending the first query to the last answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The registry is queried too if the DNS has not answered within this time. */
const hedgeDelayMs = 150;
/** The time limit of the DNS before the registry is queried. */
const dnsFirstMs = 1000;
/** The limits of the time in which the DNS confirms or replaces the answer of the registry. */
const minConfirmationMs = 1000;
const maxConfirmationMs = 4000;
/** A query that is sent later could not be answered in time. */
const minDnsExchangeMs = 500;

/**
 * Combines the sources of a registry with the delegations of the parent zone. If a delegation is
 * sufficient, the DNS is queried first, and the registry only for names that are not delegated, or
 * for their record. Otherwise the registry is queried first, and the DNS only if it must confirm
 * AVAILABLE or may replace UNKNOWN.
 */
export function combinedSource(options: CombinedOptions): Source {
  return {
    id: options.registries[0]?.source.id ?? 'dns:',
    lookup: (query, request) => new CombinedLookup(options, query, request).run(),
  };
}

/** The lookup of one name at all its sources. */
class CombinedLookup {
  readonly #options: CombinedOptions;
  /** The sources that have names of the suffix. */
  readonly #registries: readonly RegistrySource[];
  readonly #query: NameQuery;
  readonly #request: AttemptRequest;
  readonly #dns: Source | undefined;
  readonly #reports = new SourceReports();

  constructor(options: CombinedOptions, query: NameQuery, request: AttemptRequest) {
    const { suffix } = query.name;
    this.#options = options;
    this.#registries = options.registries.filter(({ serves }) => !serves || serves(suffix));
    this.#query = query;
    this.#request = request;
    this.#dns = options.dnsOf(query.name);
  }

  async run(): Promise<Answer> {
    if (this.#registries.length === 0)
      return this.#reports.addTo(await this.#lookUpDelegation(this.#request));

    const { confirm, detail } = this.#query;
    if (this.#dns && confirm === 'AVAILABLE') {
      if (detail !== 'verdict') return this.#lookUpWithRecord();
      if (this.#request.queueDeadline - this.#options.clock.now() > hedgeDelayMs)
        return this.#lookUpDnsFirst();
    }

    return this.#conclude(await this.#queryRegistry());
  }

  /** Queries the registry for the record, too; a delegation still decides about the verdict. */
  async #lookUpWithRecord(): Promise<Answer> {
    const [registry, delegation] = await Promise.all([
      this.#queryRegistry(),
      this.#queryDns(dnsFirstMs),
    ]);
    return this.#conclude(registry, delegation);
  }

  async #lookUpDnsFirst(): Promise<Answer> {
    const { clock } = this.#options;
    // Names that wait for the DNS queue are queued at the registry, too.
    const pending = this.#queryDns(dnsFirstMs, this.#request.queueDeadline);
    const delegation = await withTimeLimit(pending, { clock, ms: hedgeDelayMs });
    if (!delegation) return this.#lookUpInParallel(pending);
    if (isDelegated(delegation)) return this.#reports.addTo(delegation);

    const isProbablyFree = delegation.provenance.delegation === 'absent';
    return this.#conclude(await this.#queryRegistry({ isProbablyFree }), delegation);
  }

  /**
   * Queries the registry while the DNS has not answered. If a delegation ends the lookup, its caller
   * aborts the request, which removes it from the queue of the registry if it was not sent.
   */
  async #lookUpInParallel(pending: Promise<Answer>): Promise<Answer> {
    const registry = this.#queryRegistry();
    // Only a delegation ends the lookup before the registry has answered.
    const end = registry.then(() => undefined);
    const delegation = pending.then((answer) => (isDelegated(answer) ? answer : end));
    const first = await Promise.race([end, delegation]);
    if (first) return this.#reports.addTo(first);

    const answered = await registry;
    // A delegation would change any other verdict.
    const isRegistered = answered.answer.data?.verdict === 'REGISTERED';

    return this.#conclude(answered, isRegistered ? undefined : await pending);
  }

  /** Queries the registry, unless it has just failed for this name. */
  async #queryRegistry(hint?: Pick<AttemptRequest, 'isProbablyFree'>): Promise<RegistryAnswer> {
    const { failedNames } = this.#options;
    const [registry] = this.#registries;
    const failed = failedNames?.get(this.#query.name.ascii);
    if (failed && registry)
      return { registry, answer: this.#reports.record(registry.kind, failed) };

    const answered = await queryRegistry(
      {
        ...this.#options,
        registries: this.#registries,
        query: this.#query,
        request: { ...this.#request, ...hint },
      },
      this.#reports,
    );
    failedNames?.record(this.#query.name.ascii, answered.answer);

    return answered;
  }

  /**
   * Queries the DNS beside a registry, whose query is the one that callers pay for. The time limit
   * counts from sending. `queueDeadline`: latest time of sending, unless the time limit allows more.
   */
  async #queryDns(timeLimitMs: number, queueDeadline = -Infinity): Promise<Answer> {
    const { observer: _observer, ...request } = this.#request;
    const minDeadline = this.#options.clock.now() + timeLimitMs - minDnsExchangeMs;

    return this.#lookUpDelegation({
      ...request,
      timeLimitMs,
      // The caller's deadline may have passed while the registry was queried.
      queueDeadline: Math.max(queueDeadline, minDeadline),
      confirmAbsence: true,
      verifyZone: this.#registries.some((registry) => this.#requiresDns(registry)),
    });
  }

  async #lookUpDelegation(request: AttemptRequest): Promise<Answer> {
    const answer = this.#dns
      ? await this.#dns.lookup(this.#query, request)
      : failedAnswer(new Problem('registry_error', 'The DNS of this zone is not queried.'));
    return this.#reports.record('dns', answer);
  }

  /** Returns the final answer. `earlier` is the answer of the DNS, if it was queried first. */
  async #conclude(answered: RegistryAnswer, earlier?: Answer): Promise<Answer> {
    const { answer, registry } = answered;
    const requiresDns = this.#requiresDns(registry);
    const dnsAnswer = this.#mustQueryDns(answered, earlier)
      ? await this.#queryDns(
          this.#dnsTimeAfter(answer),
          // Other registries may answer that late, so a required confirmation may wait as long.
          requiresDns ? this.#request.queueDeadline + this.#options.timeoutMs : undefined,
        )
      : earlier;
    const { mayBeRegistered = false } = answer.provenance;
    const verdict = answer.data?.verdict;
    const delegation = dnsAnswer?.provenance.delegation;
    const ruling = decide({ verdict, requiresDns, mayBeRegistered }, delegation);
    const controls = registry.controlsOf?.(this.#query.name);
    if (ruling === 'contradicted') controls?.recordContradiction();
    if (this.#query.confirm === 'AVAILABLE' && dnsAnswer && isDelegated(dnsAnswer))
      return this.#reports.addTo(withRecord(dnsAnswer, answer));
    if (ruling === 'dns' && dnsAnswer) return this.#reports.addTo(dnsAnswer);

    const problem = problemOf(ruling, dnsAnswer?.problem);
    if (problem) return this.#reports.addTo(withoutData(answer, problem));

    // The DNS would have shown that the source has lost its data since its last controls.
    return verdict === 'AVAILABLE' && delegation === undefined && controls
      ? this.#recheck(answer, controls)
      : this.#reports.addTo(answer);
  }

  async #recheck(answer: Answer, controls: SourceControls): Promise<Answer> {
    const deadline = this.#options.clock.now() + this.#dnsTimeAfter(answer);
    return this.#reports.addTo(await controls.recheck(answer, deadline));
  }

  #mustQueryDns(answered: RegistryAnswer, earlier: Answer | undefined): boolean {
    if (!this.#dns || !needsDns(answered) || this.#request.signal.aborted) return false;
    // The first query has a short time limit, which may not suffice for a zone that is new.
    return (
      !earlier ||
      (this.#requiresDns(answered.registry) && earlier.provenance.delegation === undefined)
    );
  }

  /**
   * Returns whether the DNS must confirm AVAILABLE: the source is known for false "not found"
   * answers, or the stored answer is a delegation. Unlike a stored registration, that shows neither
   * when the name may be deleted nor whether the registry has ever found it.
   */
  #requiresDns({ requiresDns }: RegistrySource): boolean {
    const { cached } = this.#query;
    const wasDelegated =
      cached?.verdict === 'REGISTERED' && sourceKindOf(cached.endpoint) === 'dns';
    return requiresDns || (wasDelegated && this.#dns !== undefined);
  }

  /** Returns what remains of the time limit of the registry, within limits. */
  #dnsTimeAfter({ provenance: { sentAt } }: Answer): number {
    const { timeoutMs, clock } = this.#options;
    const remainingMs = sentAt === undefined ? 0 : sentAt + timeoutMs - clock.now();
    return Math.min(Math.max(remainingMs, minConfirmationMs), maxConfirmationMs);
  }
}

function isDelegated({ provenance }: Answer): boolean {
  return provenance.delegation === 'delegated';
}

/** Returns whether a delegation would change the answer of a registry. */
function needsDns({ answer: { data, provenance } }: RegistryAnswer): boolean {
  return !data || data.verdict === 'AVAILABLE' || provenance.mayBeRegistered === true;
}

/** Returns the answer of the DNS with the record of a registry, if it has one. */
function withRecord(delegation: Answer, { data, provenance: { endpoint } }: Answer): Answer {
  if (!delegation.data || !data?.registration || endpoint === undefined) return delegation;
  return {
    ...delegation,
    data: { ...data, verdict: delegation.data.verdict },
    provenance: { ...delegation.provenance, recordEndpoint: endpoint },
  };
}

function problemOf(ruling: Ruling, dnsProblem: Problem | undefined): Problem | undefined {
  if (ruling === 'contradicted')
    return new Problem(
      'contradicted',
      'The registry reports the name as unregistered, but the servers of its parent zone answer as if it existed.',
    );

  // The DNS was not queried, because its queue is full.
  if (ruling === 'unconfirmed' && dnsProblem?.code === 'registry_busy') return dnsProblem;
  if (ruling === 'unconfirmed')
    return new Problem(
      'untrusted_answer',
      'The registry reports the name as unregistered. The DNS must confirm this, because the source is known for false "not found" answers or the name was delegated before, but gave no usable answer.',
    );

  return undefined;
}

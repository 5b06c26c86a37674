import { withTimeLimit } from '../../clock.ts';
import type { DomainName } from '../../domain/names/domain-name.ts';
import { Problem } from '../../domain/problems.ts';
import {
  createAnswer,
  failedAnswer,
  type Answer,
  type FailureKind,
  type Provenance,
} from '../../domain/answer.ts';
import type { Delegation } from '../../domain/verdict.ts';
import type { AttemptRequest, NameQuery, Source } from '../../domain/source.ts';
import type { ZoneCut } from './message.ts';
import type { Reachability } from './reachability.ts';
import {
  isPassed,
  ZoneControls,
  type NegativeControl,
  type ZoneControlsOptions,
} from './zone-controls.ts';
import {
  queryZone,
  type Zone,
  type ZoneQueryLimits,
  type ZoneQueryOptions,
  type ZoneReply,
} from './zone-query.ts';

export interface ZoneSourceOptions
  extends ZoneQueryOptions, Pick<ZoneControlsOptions, 'maxUnverified' | 'chance'> {
  readonly reachability: Reachability;
  readonly samplesOf: (zone: string) => readonly DomainName[];
}

/** The time limit of a lookup, for all servers together. */
export const maxLookupMs = 4000;
const maxControlMs = 2000;
/** A shorter lookup without a reply does not show that the network blocks DNS. */
const minSilenceMs = 250;

/** The cause of the problem of a lookup that found another zone between the zone and the name. */
export class ZoneCutFound extends Error {
  readonly zoneCut: ZoneCut;

  constructor(zoneCut: ZoneCut) {
    super(`${zoneCut.zone} is a zone of its own.`);
    this.zoneCut = zoneCut;
  }
}

/** Queries the servers of one zone for the delegations of names directly below it. */
export class ZoneSource implements Source {
  readonly id: string;
  readonly #options: ZoneSourceOptions;
  readonly #controls: ZoneControls;
  #zone: Zone;

  constructor(zone: Zone, options: ZoneSourceOptions) {
    this.id = `dns://${zone.name}/`;
    this.#zone = zone;
    this.#options = options;
    this.#controls = new ZoneControls({
      zone: zone.name,
      clock: options.clock,
      maxUnverified: options.maxUnverified,
      query: (name) => this.#queryControl(name),
      chance: options.chance,
      samples: () => options.samplesOf(zone.name),
    });
  }

  /** Replaces the servers after the zone was resolved again. */
  update(zone: Zone): void {
    this.#zone = zone;
  }

  async lookup({ name: { ascii: name } }: NameQuery, request: AttemptRequest): Promise<Answer> {
    const { clock } = this.#options;
    const sentAt = clock.now();
    const startedAt = clock.elapsed();
    const finding = await this.#find(name, request, sentAt);
    const { delegation, failure, passedAt, problem = notDelegated(name) } = finding;
    const code = delegation ?? problem.code;
    const controls = passedAt !== undefined && { controlsPassedAt: passedAt };
    const provenance: Partial<Provenance> = {
      endpoint: this.id,
      sentAt,
      attempts: [{ source: 'dns', phase: 'exchange', ms: clock.elapsed() - startedAt, code }],
      evidence: { unproven: false, ...controls },
      ...(delegation && { delegation }),
      ...(failure && { failure }),
    };

    return delegation === 'delegated'
      ? createAnswer({ verdict: 'REGISTERED' }, { ...provenance, checkedAt: clock.now() })
      : failedAnswer(problem, provenance);
  }

  async #find(name: DomainName, request: AttemptRequest, sentAt: number): Promise<Finding> {
    const { clock } = this.#options;
    const { timeLimitMs: maxMs = maxLookupMs, responseDeadline = Infinity } = request;
    const timeLimitMs = Math.min(maxMs, responseDeadline - sentAt);
    if (timeLimitMs <= 0 || request.signal.aborted) return this.#timedOut(undefined);

    const endsAt = clock.elapsed() + timeLimitMs;
    // Started together with the query, so that the first lookup of a zone takes no longer.
    const negative = this.#controls.negative();
    const positive = request.verifyZone ? this.#controls.positive() : true;
    const reply = await this.#query(name, timeLimitMs, request);
    if (reply.kind === 'none') return this.#unanswered(reply, request.signal);
    if (reply.kind === 'zone_cut') return zoneCutFound(reply);

    const remaining = { clock, ms: endsAt - clock.elapsed(), signal: request.signal };
    if (reply.kind === 'delegated')
      return this.#judgeDelegation(await withTimeLimit(this.#controls.ofDelegation(), remaining));

    const results = await withTimeLimit(Promise.all([negative, positive]), remaining);
    const finding = results ? this.#judge(reply.kind, ...results) : this.#timedOut(undefined);
    return reply.isUnconfirmed && finding.delegation === 'absent'
      ? this.#unusable('do not confirm that the name is absent: only one of them answered')
      : finding;
  }

  /** A delegation proves a registration only while a control shows that not every name has one. */
  #judgeDelegation(control: NegativeControl | undefined): Finding {
    if (control?.result === 'failed') return this.#indiscriminate();

    if (!control || !isPassed(control)) {
      const what = 'could not be verified: they gave no answer for a name that does not exist';
      return { ...this.#unusable(what), delegation: 'unverified' };
    }

    this.#controls.recordDelegated();
    return { delegation: 'delegated', passedAt: control.passedAt };
  }

  /** Applies the results of the controls to an answer without a delegation. */
  #judge(
    kind: 'hosted' | 'nxdomain' | 'nodata' | 'alias',
    { result, isRecent, passedAt }: NegativeControl,
    isVerified: boolean,
  ): Finding {
    if (result === 'failed') return this.#indiscriminate();
    // The registry may have deleted the name, although the servers still have its zone.
    if (kind === 'hosted') return { delegation: 'has_records', passedAt };

    const isAbsent = kind === 'nxdomain' || (kind === 'nodata' && result === 'nodata' && isRecent);
    const hasRecords = result === 'nxdomain' || (kind === 'alias' && isRecent);
    if (!isAbsent)
      return hasRecords
        ? { delegation: 'has_records', passedAt }
        : this.#unusable('do not show whether the name exists');

    return isVerified
      ? { delegation: 'absent', passedAt }
      : this.#unusable('could not be verified: they delegate none of the sample names');
  }

  async #query(
    name: string,
    timeLimitMs: number,
    { signal, confirmAbsence = false }: AttemptRequest,
  ): Promise<ZoneReply> {
    const { reachability, clock } = this.#options;
    const startedAt = clock.elapsed();
    const reply = await this.#queryZone(name, { timeLimitMs, signal, confirmAbsence });
    if (reply.isReached) reachability.recordReply(this.#zone.name);
    else if (!signal.aborted && timeLimitMs >= minSilenceMs)
      reachability.recordSilence(this.#zone.name, startedAt);

    return reply;
  }

  /** Queries for a control, which must not end with the lookup that started it. */
  async #queryControl(name: string): Promise<ZoneReply> {
    const { signal } = new AbortController();
    const reply = await this.#queryZone(name, { timeLimitMs: maxControlMs, signal });
    if (reply.isReached) this.#options.reachability.recordReply(this.#zone.name);
    return reply;
  }

  #queryZone(name: string, limits: ZoneQueryLimits): Promise<ZoneReply> {
    return queryZone(name, this.#zone, this.#options, limits);
  }

  #unanswered(reply: ZoneReply & { readonly kind: 'none' }, signal: AbortSignal): Finding {
    const { failures, isReached } = reply;
    if (signal.aborted) return this.#timedOut(undefined);
    if (failures.has('timeout') && (failures.size === 1 || !isReached))
      return this.#timedOut(isReached ? undefined : 'timeout');

    const reasons = Array.from(failures).join(', ');
    // Servers that reply, even inconclusively, are up: a pause would also hide their delegations.
    return this.#unusable(`gave no usable answer (${reasons})`, isReached ? undefined : 'down');
  }

  #timedOut(failure: FailureKind | undefined): Finding {
    const detail = `The name servers of ${this.#zone.name} did not answer in time. Try again later.`;
    return { problem: new Problem('registry_timeout', detail), failure };
  }

  #indiscriminate(): Finding {
    return this.#unusable('answer in the same way for names that do not exist');
  }

  #unusable(what: string, failure?: FailureKind): Finding {
    const detail = `The name servers of ${this.#zone.name} ${what}.`;
    return { problem: new Problem('registry_error', detail), failure };
  }
}

/** What a lookup found out, or why it has no result. */
interface Finding {
  readonly delegation?: Delegation;
  readonly problem?: Problem;
  readonly failure?: FailureKind | undefined;
  /** When the negative control that counts last passed; epoch ms. */
  readonly passedAt?: number | undefined;
}

function zoneCutFound(zoneCut: ZoneCut): Finding {
  const cause = new ZoneCutFound(zoneCut);
  return { problem: new Problem('registry_error', cause.message, { cause }) };
}

function notDelegated(name: DomainName): Problem {
  return new Problem(
    'not_delegated',
    `The DNS does not show a delegation of ${name}. It may be registered without name servers, on hold, or available.`,
  );
}

import { randomInt } from 'node:crypto';
import type { KeyValueStore } from '../cache/key-value-store.ts';
import type { Clock } from '../clock.ts';
import { parseDomainName, type DomainName } from '../domain/domain-name.ts';
import { Problem } from '../domain/problems.ts';
import {
  canaryAccount,
  failedAnswer,
  sourceKindOf,
  withProvenance,
  type Answer,
  type Attempt,
  type AttemptRequest,
  type LookupQuery,
  type Source,
} from '../domain/source.ts';
import type { Log } from '../log.ts';
import { ControlMonitor, type ControlResult } from './control-monitor.ts';

export interface ControlOptions<Form extends string> {
  /** The suffix whose names this server is queried for: the controls are names under it. */
  readonly suffix: string;
  /** Registered names under the suffix. */
  readonly samples: readonly DomainName[];
  /** The ways in which the server may accept a query, most likely first. */
  readonly forms: readonly [Form, ...Form[]];
  /** How long a lookup waits for the controls if it has no deadline, in ms. */
  readonly timeoutMs: number;
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Accepts AVAILABLE only if both controls passed at the same server within the last hour. Positive
 * control: a sample name is not available. Negative control: a random name is available. Other
 * verdicts are returned as they are. If the server has several request forms, the controls choose
 * one before the first lookup. Use it around the throttled source, for servers whose "available" is
 * a text: unlike an RDAP 404, it may be sent for every name, or have changed its meaning.
 */
export class ControlledSource<Form extends string> implements Source {
  readonly id: string;
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #first: Source;
  readonly #monitor: ControlMonitor;
  readonly #options: ControlOptions<Form>;

  /** `sourceOf` returns the source that uses a request form. All forms have the same server. */
  constructor(sourceOf: (form: Form) => Source, options: ControlOptions<Form>) {
    const [firstForm, ...otherForms] = options.forms;
    this.#first = sourceOf(firstForm);
    this.id = this.#first.id;
    this.#sources = new Map([
      [firstForm, this.#first],
      ...otherForms.map((form) => [form, sourceOf(form)] as const),
    ]);
    this.#options = options;
    const { forms, store, clock, log } = options;
    this.#monitor = new ControlMonitor({
      key: `${options.suffix} ${this.id}`,
      forms,
      runControls: (form) => this.#runControls(form),
      store,
      clock,
      log,
    });
  }

  /**
   * Returns whether a stored AVAILABLE of that time (epoch ms) is still trusted: the server has not
   * failed its controls since.
   */
  trustsAvailable(checkedAt: number): boolean {
    return this.#monitor.trusts(checkedAt);
  }

  async lookup(query: LookupQuery, request: AttemptRequest): Promise<Answer> {
    const { timeoutMs, clock } = this.#options;
    await this.#monitor.loaded;
    const { queueDeadline, responseDeadline = Infinity } = request;
    // A verdict must not depend on a form that the server may read as another query.
    const isFormUnconfirmed = this.#sources.size > 1 && this.#monitor.form === undefined;
    const before = isFormUnconfirmed
      ? await this.#checkUntil(Math.min(queueDeadline, responseDeadline))
      : [];
    if (isFormUnconfirmed && this.#monitor.isChecking)
      return failedAnswer(untrusted(details.unconfirmed), { attempts: before });
    const source = this.#currentSource();
    const answer = await source.lookup(query, request);
    const { sentAt = clock.now(), attempts } = answer.provenance;
    if (answer.result.verdict !== 'AVAILABLE')
      return withProvenance(answer, { attempts: [...before, ...attempts] });
    const after = await this.#checkUntil(request.responseDeadline ?? sentAt + timeoutMs);
    const checked = withProvenance(answer, { attempts: [...before, ...attempts, ...after] });
    const detail = this.#objectionTo(source);
    return detail === undefined ? checked : withoutVerdict(checked, detail);
  }

  /** Runs the controls if they are due, and waits for them until `deadline` (epoch ms) at most. */
  async #checkUntil(deadline: number): Promise<readonly Attempt[]> {
    const { clock } = this.#options;
    const check = this.#monitor.checkIfDue();
    if (!check) return [];
    const startedAt = clock.now();
    const timeout = Promise.withResolvers<void>();
    const cancelTimer = clock.after(Math.max(deadline - startedAt, 0), timeout.resolve);
    await Promise.race([check, timeout.promise]);
    cancelTimer();
    const { isConfirmed, isFailing } = this.#monitor;
    const code = isConfirmed ? 'found' : isFailing ? 'not_found' : 'inconclusive';
    const ms = clock.now() - startedAt;
    return [{ source: sourceKindOf(this.id), phase: 'canary', ms, code }];
  }

  /** Returns why an AVAILABLE of a source does not count; undefined if it does. */
  #objectionTo(source: Source): string | undefined {
    const { isConfirmed, isFailing } = this.#monitor;
    if (isFailing) return details.failing;
    // The controls may have passed in another form than the one of this answer.
    const counts = isConfirmed && source === this.#currentSource();
    return counts ? undefined : details.unconfirmed;
  }

  #currentSource(): Source {
    return this.#sources.get(this.#monitor.form ?? '') ?? this.#first;
  }

  async #runControls(form: string): Promise<ControlResult> {
    const { samples, suffix } = this.#options;
    const source = this.#sources.get(form) ?? this.#first;
    const positive = await this.#expect('taken', source, samples);
    return positive === 'passed'
      ? // A random name may be refused, or exist: the second decides.
        this.#expect('available', source, [randomName(suffix), randomName(suffix)])
      : positive;
  }

  /** Looks up the names in order until one has the expected state. */
  async #expect(
    expected: ControlState,
    source: Source,
    names: readonly DomainName[],
  ): Promise<ControlResult> {
    for (const name of names) {
      const state = await lookUpControl(
        source,
        name,
        this.#options.clock.now() + this.#options.timeoutMs,
      );
      if (state === expected) return 'passed';
      if (state === 'inconclusive' || state === 'not_sent') return state;
    }
    return 'failed';
  }
}

/** What a control lookup shows. `unclear`: the reply cannot be read. */
type ControlState = 'taken' | 'available' | 'unclear' | 'inconclusive' | 'not_sent';

const details = {
  failing:
    'The registry does not tell registered from unregistered names in control lookups, so its "available" is not trusted.',
  unconfirmed:
    'The reply of the registry could not be verified: the control lookups have not succeeded.',
} as const;

/**
 * Looks up a control name, with high priority and under its own account: it must not use a caller's
 * fair share, and must not be cancelled when a caller disconnects.
 */
async function lookUpControl(
  source: Source,
  name: DomainName,
  queueDeadline: number,
): Promise<ControlState> {
  const { result, provenance } = await source.lookup(
    { name, detail: 'verdict' },
    {
      signal: new AbortController().signal,
      account: canaryAccount,
      priority: 'single',
      queueDeadline,
    },
  );
  if (result.verdict === 'AVAILABLE') return 'available';
  if (result.verdict !== 'UNKNOWN') return 'taken';
  if (provenance.sentAt === undefined) return 'not_sent';
  return result.problem?.code === 'untrusted_answer' ? 'unclear' : 'inconclusive';
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const randomLabelLength = 24;

/** Returns a name that is certainly not registered. */
function randomName(suffix: string): DomainName {
  const label = Array.from({ length: randomLabelLength }, () => letters[randomInt(26)]).join('');
  return parseDomainName(`${label}.${suffix}`);
}

function withoutVerdict({ provenance }: Answer, detail: string): Answer {
  const { checkedAt: _checkedAt, ...rest } = provenance;
  return failedAnswer(untrusted(detail), rest);
}

function untrusted(detail: string): Problem {
  return new Problem('untrusted_answer', detail);
}

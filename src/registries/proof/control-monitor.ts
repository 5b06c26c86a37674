import type { Answer } from '../../domain/answer.ts';
import { parseDomainName, type DomainName } from '../../domain/names/domain-name.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type { Source } from '../../domain/source.ts';
import { random, type Chance } from '../chance.ts';
import {
  lookUpToCheck,
  Monitor,
  retryIntervalMs,
  type CheckResult,
  type MonitorOptions,
} from './monitor.ts';
import type { MonitorState, StateForm } from './monitor-state.ts';

export interface ControlOptions<Form extends string> extends Omit<MonitorOptions, 'key'> {
  /** The suffix whose names the server is queried for: the controls are names under it. */
  readonly suffix: string;
  /** Registered names under the suffix. */
  readonly samples: readonly DomainName[];
  /** The ways in which the server may accept a query, most likely first. */
  readonly forms: readonly [Form, ...Form[]];
  /**
   * How long a control lookup waits in the queue, and a lookup without a deadline for the controls,
   * in ms.
   */
  readonly timeoutMs: number;
  readonly chance?: Chance | undefined;
}

interface ControlState extends MonitorState {
  /** The request form with which they passed. */
  readonly form?: string;
  /** The form of the reply about an unregistered name, if it is a text. */
  readonly replyForm?: string | undefined;
}

/**
 * What a control lookup shows. `unclear`: the reply cannot be read. `not_sent`: no query was sent.
 */
type Finding = 'taken' | 'available' | 'unclear' | 'inconclusive' | 'not_sent';

/** `replyForm` is the form of the reply about the random name, if it is a text. */
interface ControlResult {
  readonly result: 'passed' | 'failed' | 'inconclusive' | 'not_sent';
  readonly replyForm?: string | undefined;
}

const stateForm: StateForm<ControlState> = {
  initial: { provenAt: 0, checkedAt: 0, isFailing: false, trustedSince: 0 },
  provenAt: 'passedAt',
  isFailing: 'isFailing',
};

/**
 * Decides whether the AVAILABLE of one server is trusted for one suffix, and finds the request form
 * that the server accepts. A check consists of two control lookups, of a registered and a random name.
 */
export class ControlMonitor<Form extends string> extends Monitor<ControlState> {
  readonly #options: ControlOptions<Form>;
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #first: Source;
  /** Names the server in the log. */
  readonly #server: string;

  constructor(sourceOf: (form: Form) => Source, options: ControlOptions<Form>) {
    const [firstForm, ...otherForms] = options.forms;
    const first = sourceOf(firstForm);
    const server = `${options.suffix} ${first.id}`;

    const onFailing = () => {
      options.log.warn(
        { server },
        'The registry does not tell registered from unregistered names in control lookups. Its "available" is ignored until it does.',
      );
      options.onFailing?.();
    };

    super({ ...options, key: `controls:${server}`, onFailing }, stateForm);
    this.#server = server;
    this.#options = options;
    this.#first = first;
    this.#sources = new Map([
      [firstForm, first],
      ...otherForms.map((form) => [form, sourceOf(form)] as const),
    ]);
  }

  /** The source with the request form with which the controls last passed, by default the first. */
  get source(): Source {
    return this.#sources.get(this.state.form ?? '') ?? this.#first;
  }

  /** Whether the server may read a query in the form of `source` as another one. */
  get isFormUnconfirmed(): boolean {
    return this.#sources.size > 1 && this.state.form === undefined;
  }

  /** Returns whether a reply has the form of the one about a name that is not registered. */
  isKnownForm(replyForm: string | undefined): boolean {
    return replyForm === this.state.replyForm;
  }

  override get hasProof(): boolean {
    return this.provenAt > 0;
  }

  /**
   * Requires that the controls pass again, although they have passed recently, and distrusts all
   * earlier answers.
   */
  async expire(): Promise<void> {
    const now = this.clock.now();
    await this.loaded;
    if (this.isFailing) return;
    // The newest state counts, but should not look like a check that was just made.
    const checkedAt = Math.max(now - retryIntervalMs, this.state.checkedAt + 1);
    await this.update({ provenAt: 0, checkedAt, trustedSince: now });
  }

  /**
   * A state with a request form that this node does not use proves nothing, but what it distrusts is
   * distrusted.
   */
  protected override adopt(stored: ControlState): void {
    const { form, isFailing, checkedAt } = stored;
    const forms: readonly string[] = this.#options.forms;
    if (form === undefined || forms.includes(form)) return super.adopt(stored);
    const since = isFailing ? checkedAt : stored.trustedSince;
    this.state = { ...this.state, trustedSince: Math.max(this.state.trustedSince, since) };
  }

  protected override async check(): Promise<() => CheckResult<ControlState> | undefined> {
    const { state } = this;
    const startedAt = this.clock.now();
    const results: ControlResult['result'][] = [];
    for (const form of new Set([state.form ?? this.#options.forms[0], ...this.#sources.keys()])) {
      const { result, replyForm } = await this.#runControls(form);
      if (result === 'passed') return () => this.#passed({ startedAt, form, replyForm }, state);
      results.push(result);
      if (result === 'not_sent') break;
    }

    if (results[0] === 'not_sent') return () => undefined;

    const checkedAt = this.clock.now();
    const hasFailed = results.every((result) => result === 'failed');

    return () => {
      const isFailing = this.isFailing || hasFailed;
      return { isProven: false, state: { ...this.state, checkedAt, isFailing } };
    };
  }

  /** Returns the state after controls that began in the state `before` have passed. */
  #passed(
    {
      startedAt,
      form,
      replyForm,
    }: Pick<ControlState, 'replyForm'> & { startedAt: number; form: string },
    { isFailing, trustedSince }: ControlState,
  ): CheckResult<ControlState> | undefined {
    // `expire` was called during the check, whose first lookups may precede the change.
    if (this.state.trustedSince !== trustedSince) return undefined;

    if (isFailing)
      this.log.info({ server: this.#server }, 'The control lookups of the registry succeed again.');
    const times = { provenAt: startedAt, checkedAt: startedAt };
    const since = isFailing ? startedAt : trustedSince;
    const state = { ...times, form, replyForm, isFailing: false, trustedSince: since };

    return { isProven: true, state };
  }

  /**
   * Makes both control lookups with a request form. Never rejects. The registered name comes last: it
   * shows that the reply about the random name is not one that the server has begun to send for every
   * name.
   */
  async #runControls(form: string): Promise<ControlResult> {
    const { samples, suffix } = this.#options;
    if (samples.length === 0) return { result: 'failed' };

    const source = this.#sources.get(form) ?? this.#first;
    // A random name may be refused, or exist: the second decides.
    const { chance = random } = this.#options;
    const absent = [1, 2].map(() => parseDomainName(`${chance.label(suffix)}.${suffix}`));
    const negative = await this.#expect('available', absent, source);
    if (negative.result !== 'passed') return negative;

    const { result } = await this.#expect('taken', samples, source);
    return { result, replyForm: negative.replyForm };
  }

  /** Looks up the names in order until one has the expected finding. */
  async #expect(
    expected: Finding,
    names: readonly DomainName[],
    source: Source,
  ): Promise<ControlResult> {
    for (const name of names) {
      const answer = await lookUpToCheck(source, name, this.clock.now() + this.#options.timeoutMs);
      const finding = findingOf(answer);
      if (finding === expected) return { result: 'passed', replyForm: answer.provenance.replyForm };
      if (finding === 'inconclusive' || finding === 'not_sent') return { result: finding };
    }
    return { result: 'failed' };
  }
}

function findingOf({ data, problem, provenance }: Answer): Finding {
  if (data) return data.verdict === 'AVAILABLE' ? 'available' : 'taken';
  if (provenance.sentAt === undefined) return 'not_sent';
  return unclearCodes.has(problem?.code) ? 'unclear' : 'inconclusive';
}

const unclearCodes: ReadonlySet<string | undefined> = new Set<ProblemCode>([
  'untrusted_answer',
  'whois_unclear',
]);

import { withTimeLimit } from '../../clock.ts';
import type { KeyValueStore } from '../../shared/key-value-store.ts';
import { Problem } from '../../domain/problems.ts';
import {
  failedAnswer,
  sourceKindOf,
  withoutData,
  withProvenance,
  type Answer,
  type Attempt,
} from '../../domain/answer.ts';
import type { ServerTrust } from '../../domain/catalogue.ts';
import type { AttemptRequest, NameQuery, Source } from '../../domain/source.ts';
import type { Log } from '../../log.ts';
import { runControls, type Controls } from './control-lookups.ts';
import { ControlMonitor } from './control-monitor.ts';

export interface ControlOptions<Form extends string> extends Controls {
  /** The ways in which the server may accept a query, most likely first. */
  readonly forms: readonly [Form, ...Form[]];
  /** How many AVAILABLE answers count after the controls began, until they must pass again. */
  readonly maxUnverified: number;
  readonly store: KeyValueStore;
  readonly log: Log;
  /** Called when the controls fail after they had not. */
  readonly onFailed?: () => void;
}

/**
 * Accepts AVAILABLE only if both controls passed recently at the same server. Positive control: a
 * sample name is not available. Negative control: a random name is available. They run again after
 * five minutes, after some AVAILABLE answers, and after each that the DNS or a stored answer
 * contradicts. A reply must also have the form of the one about the random name. Other verdicts are
 * returned as they are. If the server has several request forms, the
 * controls choose one before the first lookup. Use it around the throttled source, for servers whose
 * "available" is a text: unlike an RDAP 404, it may be sent for every name, or have changed its
 * meaning.
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
    const { forms, maxUnverified, store, clock, log, onFailed } = options;
    this.#monitor = new ControlMonitor({
      key: `${options.suffix} ${this.id}`,
      forms,
      runControls: (form) => runControls(this.#sources.get(form) ?? this.#first, options),
      ...(onFailed && { onFailed }),
      maxUnverified,
      store,
      clock,
      log,
    });
  }

  /** How far an AVAILABLE of the server is trusted. */
  get trust(): ServerTrust {
    const { isFailing, isConfirmed, passedAt } = this.#monitor;
    const passed = isConfirmed ? 'proven' : passedAt > 0 ? 'unconfirmed' : 'unproven';
    return {
      endpoint: this.id,
      suffix: this.#options.suffix,
      trust: isFailing ? 'failing' : passed,
    };
  }

  /**
   * Requires that the controls pass again, although they have passed recently, and distrusts all
   * earlier answers.
   */
  expireControls(): Promise<void> {
    return this.#monitor.expire();
  }

  /** Requires that the controls pass again, because the DNS contradicts an AVAILABLE. */
  recordContradiction(): void {
    this.#monitor.makeDue();
  }

  /**
   * Returns an AVAILABLE of this source without its verdict, unless controls pass until `deadline`
   * (epoch ms) that began after it was received.
   */
  async recheck(answer: Answer, deadline: number): Promise<Answer> {
    const source = this.#currentSource();
    const received = this.#monitor.count();
    const { attempts, checkedAt = 0 } = answer.provenance;
    const after = await this.#waitFor(this.#monitor.verify(received, true), deadline);
    const isTrusted = this.#monitor.trusts(checkedAt);
    return this.#judge(
      answer,
      [...attempts, ...after],
      isTrusted ? this.#objectionTo(source, received, true) : details.unconfirmed,
    );
  }

  /**
   * Returns whether a stored AVAILABLE of a server, checked at that time (epoch ms), is still
   * trusted: it is this server, and it has not failed its controls since.
   */
  trustsCached(serverUrl: string, checkedAt: number): boolean {
    return serverUrl === this.id && this.#monitor.trusts(checkedAt);
  }

  async lookup(query: NameQuery, request: AttemptRequest): Promise<Answer> {
    const { timeoutMs, clock } = this.#options;
    await this.#monitor.loaded;
    const { queueDeadline, responseDeadline } = request;
    // The server may read an unconfirmed form as another query, so the controls choose one first.
    const isFormUnconfirmed = this.#sources.size > 1 && this.#monitor.form === undefined;
    const before = isFormUnconfirmed
      ? await this.#waitFor(
          this.#monitor.verify(0, false),
          // Half of the time is left for other sources.
          Math.min(responseDeadline ?? Infinity, (clock.now() + queueDeadline) / 2),
        )
      : [];
    if (isFormUnconfirmed && this.#monitor.isChecking)
      return failedAnswer(untrusted(details.unconfirmed), { attempts: before });
    const source = this.#currentSource();
    const wasFailing = this.#monitor.isFailing;
    const answer = await source.lookup(query, request);
    const { sentAt = clock.now(), attempts } = answer.provenance;
    if (answer.data?.verdict !== 'AVAILABLE')
      return withProvenance(answer, { attempts: [...before, ...attempts] });
    const { samples, suffix } = this.#options;
    if (samples.length === 0) return withoutData(answer, withoutControls(suffix));
    const received = this.#monitor.count();
    const isContradiction = query.cached !== undefined && query.cached.verdict !== 'AVAILABLE';
    const isRetryDue = this.#monitor.passedAt > 0 && this.#monitor.isRetryDue;
    const hasNewForm = isRetryDue && !this.#hasKnownForm(answer);
    const mustFollow = (isContradiction || hasNewForm) && !this.#monitor.isFailing;
    const answeredAt = clock.now();
    const deadline = responseDeadline ?? sentAt + timeoutMs;
    const after = await this.#waitFor(this.#monitor.verify(received, mustFollow), deadline);
    const earlier = [...before, ...attempts, ...after];
    if (this.#monitor.isConfirmed && (wasFailing || !this.#monitor.trusts(answeredAt)))
      return this.#repeat(query, { ...request, responseDeadline: deadline }, sentAt, earlier);
    return this.#judge(answer, earlier, this.#objectionTo(source, received, isContradiction));
  }

  /**
   * Looks up a name again that a server reported as available before it passed the controls that it
   * had failed. The first lookup is the one that callers pay for.
   */
  async #repeat(
    query: NameQuery,
    { observer: _observer, ...request }: AttemptRequest & { readonly responseDeadline: number },
    sentAt: number,
    earlier: readonly Attempt[],
  ): Promise<Answer> {
    const source = this.#currentSource();
    const repeatedAt = this.#options.clock.now();
    const repeated = await source.lookup(query, {
      ...request,
      queueDeadline: request.responseDeadline,
    });
    const attempts = [...earlier, ...repeated.provenance.attempts];
    const answer = withProvenance(repeated, { attempts, sentAt });
    if (answer.data?.verdict !== 'AVAILABLE') return answer;
    const received = this.#monitor.count();
    const after = await this.#waitFor(
      this.#monitor.verify(received, false),
      request.responseDeadline,
    );
    const isTrusted = this.#monitor.trusts(repeatedAt);
    return this.#judge(
      answer,
      [...attempts, ...after],
      isTrusted ? this.#objectionTo(source, received, false) : details.unconfirmed,
    );
  }

  /** Returns an AVAILABLE with the evidence of the controls, without a verdict if it does not count. */
  #judge(answer: Answer, attempts: readonly Attempt[], objection: string | undefined): Answer {
    const checked = this.#withControls(answer, attempts);
    if (objection !== undefined) return withoutData(checked, untrusted(objection));
    if (this.#hasKnownForm(answer)) return checked;
    const code = sourceKindOf(this.id) === 'whois' ? 'whois_unclear' : 'untrusted_answer';
    return withoutData(checked, new Problem(code, details.otherLines));
  }

  #hasKnownForm({ provenance }: Answer): boolean {
    return this.#monitor.isKnownForm(provenance.replyForm);
  }

  /** Adds when the controls passed to the evidence of an AVAILABLE. */
  #withControls(answer: Answer, attempts: readonly Attempt[]): Answer {
    const { passedAt } = this.#monitor;
    return withProvenance(answer, {
      attempts,
      evidence: {
        unproven: false,
        ...answer.provenance.evidence,
        ...(passedAt > 0 && { controlsPassedAt: passedAt }),
      },
    });
  }

  /** Waits for the controls, if they run, until `deadline` (epoch ms) at most. */
  async #waitFor(check: Promise<void> | undefined, deadline: number): Promise<readonly Attempt[]> {
    const { clock } = this.#options;
    if (!check) return [];
    const startedAt = clock.now();
    await withTimeLimit(check, { clock, ms: deadline - startedAt });
    const { isConfirmed, isFailing } = this.#monitor;
    const code = isConfirmed ? 'found' : isFailing ? 'not_found' : 'inconclusive';
    const ms = clock.now() - startedAt;
    return [{ source: sourceKindOf(this.id), phase: 'canary', ms, code }];
  }

  /**
   * Returns why the AVAILABLE of a source with this number does not count; undefined if it does.
   * `mustFollow`: the controls must have passed after it.
   */
  #objectionTo(source: Source, received: number, mustFollow: boolean): string | undefined {
    if (this.#monitor.isFailing) return details.failing;
    // The controls may have passed in another form than the one of this answer.
    const counts = this.#monitor.verifies(received, mustFollow) && source === this.#currentSource();
    return counts ? undefined : details.unconfirmed;
  }

  #currentSource(): Source {
    return this.#sources.get(this.#monitor.form ?? '') ?? this.#first;
  }
}

const details = {
  failing:
    'The registry does not tell registered from unregistered names in control lookups, so its "available" is not trusted.',
  unconfirmed:
    'The reply of the registry could not be verified: the control lookups have not succeeded.',
  otherLines:
    'The reply of the registry has other lines than its reply about a name that is certainly not registered.',
} as const;

function untrusted(detail: string): Problem {
  return new Problem('untrusted_answer', detail);
}

/** Controls that cannot be made say nothing about the server or its other suffixes. */
function withoutControls(suffix: string): Problem {
  return new Problem(
    'untrusted_answer',
    `The gateway knows no registered name under .${suffix}, which it needs to verify an "available" of the registry.`,
    { isPermanent: true },
  );
}

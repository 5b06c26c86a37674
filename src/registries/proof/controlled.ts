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
import { ControlMonitor, type ControlOptions } from './control-monitor.ts';

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
  readonly #monitor: ControlMonitor<Form>;
  readonly #options: ControlOptions<Form>;

  /** `sourceOf` returns the source that uses a request form. All forms have the same server. */
  constructor(sourceOf: (form: Form) => Source, options: ControlOptions<Form>) {
    this.#monitor = new ControlMonitor(sourceOf, options);
    this.id = this.#monitor.source.id;
    this.#options = options;
  }

  /** How far an AVAILABLE of the server is trusted. */
  get trust(): ServerTrust {
    return { endpoint: this.id, suffix: this.#options.suffix, trust: this.#monitor.trust };
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
    const { source } = this.#monitor;
    const received = this.#monitor.count();
    const { attempts, checkedAt = 0 } = answer.provenance;
    const after = await this.#verify(received, deadline, true);
    const objection = this.#objectionTo(source, received, checkedAt, true);
    return this.#judge(answer, [...attempts, ...after], objection);
  }

  /**
   * Returns whether a stored AVAILABLE of a server, checked at that time (epoch ms), is still
   * trusted: it is this server, and it has not failed its controls since.
   */
  trustsCached(serverUrl: string, checkedAt: number): boolean {
    return serverUrl === this.id && this.#monitor.trusts(checkedAt);
  }

  async lookup(query: NameQuery, request: AttemptRequest): Promise<Answer> {
    const { timeoutMs, clock, samples, suffix } = this.#options;
    await this.#monitor.loaded;
    const { queueDeadline, responseDeadline } = request;

    // The server may read an unconfirmed form as another query, so the controls choose one first.
    const isFormUnconfirmed = this.#monitor.isFormUnconfirmed;
    const half = Math.min(responseDeadline ?? Infinity, (clock.now() + queueDeadline) / 2);

    // Half of the time is left for other sources.
    const before = isFormUnconfirmed ? await this.#verify(0, half) : [];
    if (isFormUnconfirmed && this.#monitor.isChecking)
      return failedAnswer(untrusted(details.unconfirmed), { attempts: before });

    const { source, isFailing: wasFailing } = this.#monitor;
    const answer = await source.lookup(query, request);
    const { sentAt = clock.now(), attempts } = answer.provenance;
    if (answer.data?.verdict !== 'AVAILABLE')
      return withProvenance(answer, { attempts: [...before, ...attempts] });
    if (samples.length === 0) return withoutData(answer, withoutControls(suffix));

    const received = this.#monitor.count();
    const isContradiction = query.cached !== undefined && query.cached.verdict !== 'AVAILABLE';
    const isRetryDue = this.#monitor.provenAt > 0 && this.#monitor.isRetryDue();
    const hasNewForm = isRetryDue && !this.#hasKnownForm(answer);
    const mustFollow = (isContradiction || hasNewForm) && !this.#monitor.isFailing;
    const answeredAt = clock.now();
    const deadline = responseDeadline ?? sentAt + timeoutMs;
    const after = await this.#verify(received, deadline, mustFollow);
    const earlier = [...before, ...attempts, ...after];
    if (this.#monitor.isConfirmed() && (wasFailing || !this.#monitor.trusts(answeredAt)))
      return this.#repeat(query, { ...request, responseDeadline: deadline }, sentAt, earlier);

    const objection = this.#objectionTo(source, received, answeredAt, isContradiction);
    return this.#judge(answer, earlier, objection);
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
    const { source } = this.#monitor;
    const { responseDeadline } = request;
    const repeatedAt = this.#options.clock.now();
    const repeated = await source.lookup(query, { ...request, queueDeadline: responseDeadline });
    const attempts = [...earlier, ...repeated.provenance.attempts];
    const answer = withProvenance(repeated, { attempts, sentAt });
    if (answer.data?.verdict !== 'AVAILABLE') return answer;

    const received = this.#monitor.count();
    const after = await this.#verify(received, responseDeadline);
    const objection = this.#objectionTo(source, received, repeatedAt);

    return this.#judge(answer, [...attempts, ...after], objection);
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
    const { provenAt } = this.#monitor;
    return withProvenance(answer, {
      attempts,
      evidence: {
        unproven: false,
        ...answer.provenance.evidence,
        ...(provenAt > 0 && { controlsPassedAt: provenAt }),
      },
    });
  }

  /** Waits until `deadline` (epoch ms) at most for the controls that the AVAILABLE needs. */
  async #verify(
    received: number,
    deadline: number,
    mustFollow = false,
  ): Promise<readonly Attempt[]> {
    const check = this.#monitor.verify(received, { mustFollow });
    const attempts = await this.#monitor.waitFor(check, deadline);
    const code = attemptCodes[this.#monitor.trust];
    return attempts.map((attempt) => ({ ...attempt, code }));
  }

  /**
   * Returns why the AVAILABLE of a source with this number, received at `receivedAt`, does not count;
   * undefined if it does. `mustFollow`: the controls must have passed after it.
   */
  #objectionTo(
    source: Source,
    received: number,
    receivedAt: number,
    mustFollow = false,
  ): string | undefined {
    if (this.#monitor.isFailing) return details.failing;
    // The controls may have passed in another form than the one of this answer.
    const isSameForm = source === this.#monitor.source;
    const isTrusted = isSameForm && this.#monitor.trusts(receivedAt);
    const counts = isTrusted && this.#monitor.verifies(received, mustFollow);
    return counts ? undefined : details.unconfirmed;
  }
}

/** The codes of the attempts to verify an answer, by the trust in its server afterwards. */
const attemptCodes = {
  proven: 'found',
  unproven: 'inconclusive',
  unconfirmed: 'inconclusive',
  failing: 'not_found',
} as const;

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

import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Answer, Asker, Attempt, Question, Source } from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import type { CanaryResult, Witness } from './witness.ts';

export interface Proof {
  readonly witness: Witness;
  /** Names that this server must find if it finds any, the likeliest first. */
  readonly canaries: (name: DomainName) => readonly DomainName[];
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * A server whose "not found" is believed only once it has been seen to find something. One that never was is believed only when it says so in
 * RDAP's own terms, and the answer is marked; one that has lost its canary is not believed at all.
 */
export function provenRegistry(server: Source, proof: Proof): Source {
  return {
    id: server.id,
    async ask(question, asker) {
      const answer = await server.ask(question, asker);
      const result = resultOf(answer);
      if (answer.foreign || (result !== 'found' && result !== 'absent')) return answer;
      proof.witness.heard(question.name, result);
      return result === 'found' ? answer : weighed(answer, question, asker, server, proof);
    },
  };
}

/** What a "not found" is worth. */
async function weighed(answer: Answer, question: Question, asker: Asker, server: Source, proof: Proof): Promise<Answer> {
  const { witness, clock } = proof;
  const askedAt = clock.now();
  const asked = await refreshed(answer, question, asker, server, proof);
  const { seen, lost } = witness.sightings;
  const told = asked ? withAttempt(answer, canaryAttempt(clock.now() - askedAt, seen && !lost)) : answer;
  if (lost) return untrusted(told, 'The registry no longer finds a name that it holds: its 404 proves nothing.');
  if (seen) return told;
  if (told.absence === 'silent') return untrusted(told, 'The registry has never found a name, and its 404 says nothing more.');
  return { ...told, ...(told.evidence && { evidence: { ...told.evidence, unproven: true } }) };
}

/** Waits for the canary no longer than the caller may wait for his answer; resolves to whether one was asked. */
async function refreshed(answer: Answer, { name }: Question, asker: Asker, server: Source, proof: Proof): Promise<boolean> {
  const { witness, canaries, timeoutMs, clock } = proof;
  const answerBy = asker.answerBy ?? (answer.sentAt ?? clock.now()) + timeoutMs;
  const asked = witness.refresh(
    () => canaries(name).filter((canary) => canary !== name),
    async (canary) => resultOf(await server.ask({ name: canary, part: 'verdict' }, canaryAsker(answerBy))),
  );
  if (typeof asked === 'boolean') return asked;
  const outOfTime = Promise.withResolvers<boolean>();
  const cancelTimer = clock.after(Math.max(answerBy - clock.now(), 0), () => outOfTime.resolve(true));
  const wasAsked = await Promise.race([asked, outOfTime.promise]);
  cancelTimer();
  return wasAsked;
}

/** Urgent, and in its own name: whoever happens to be first must not pay for it with his turns, nor take it with him when he leaves. */
function canaryAsker(sendBy: number): Asker {
  return { signal: new AbortController().signal, account: 'canary', kind: 'single', sendBy };
}

function resultOf({ registration, absence, sentAt, foreign }: Answer): CanaryResult {
  if (registration && !foreign) return 'found';
  if (sentAt === undefined) return 'unsent';
  return absence === undefined ? 'unanswered' : 'absent';
}

function withAttempt(answer: Answer, last: Attempt): Answer {
  return { ...answer, attempts: [...(answer.attempts ?? []), last] };
}

function canaryAttempt(ms: number, found: boolean): Attempt {
  return { phase: 'canary', ms, code: found ? 'found' : 'not_found' };
}

function untrusted({ registration: _none, ...answer }: Answer, detail: string): Answer {
  const { checkedAt: _never, absence: _worthless, ...rest } = answer;
  return { ...rest, verdict: 'UNKNOWN', problem: new Problem('untrusted_answer', detail) };
}

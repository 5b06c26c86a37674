import { describe, expect, it } from 'vitest';
import { SingleFlight } from '../../src/cache/single-flight.ts';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import {
  createAnswer,
  failedAnswer,
  type Answer,
  type LookupQuery,
  type LookupRequest,
} from '../../src/domain/source.ts';
import { Problem } from '../../src/domain/problems.ts';
import { manualClock } from '../support/manual-clock.ts';

const registered = createAnswer({ verdict: 'REGISTERED' });
const failed = failedAnswer(new Problem('registry_error', 'The registry failed.'));
const example = { name: parseDomainName('example.test'), detail: 'record' as const };

/** Lookups end when the test says so; `lookups` contains one entry for each that was started. */
function setUp() {
  const clock = manualClock();
  const singleFlight = new SingleFlight(clock);
  const lookups: { request: LookupRequest; settle: (answer: Answer) => void }[] = [];
  const start = (_question: LookupQuery, request: LookupRequest) =>
    new Promise<Answer>((resolve) => void lookups.push({ request, settle: resolve }));

  function join({
    query = example,
    queueMs = 5000,
    ...changed
  }: Partial<LookupRequest> & { query?: LookupQuery; queueMs?: number } = {}) {
    const abort = new AbortController();
    const request: LookupRequest = {
      signal: abort.signal,
      queueDeadline: clock.now() + queueMs,
      account: 'alice',
      priority: 'bulk',
      ...changed,
    };
    return { answer: singleFlight.lookUp(query, request, start), disconnect: () => abort.abort() };
  }
  return { clock, singleFlight, join, lookups };
}

describe('a lookup', () => {
  it('is shared by all callers that want a name at the same time, and started anew afterwards', async () => {
    const { join, lookups } = setUp();
    const first = join();
    const second = join({ query: { ...example, maxAge: 0 } });
    expect(lookups.length).toBe(1);
    lookups[0]?.settle(registered);
    expect(await Promise.all([first.answer, second.answer])).toEqual([registered, registered]);
    void join();
    expect(lookups.length).toBe(2);
  });

  it('is started for each name', () => {
    const { join, lookups } = setUp();
    void join();
    void join({ query: { ...example, name: parseDomainName('other.test') } });
    expect(lookups.length).toBe(2);
  });

  it('that fails, fails for all waiting callers', async () => {
    const { join, lookups } = setUp();
    const waiters = [join(), join(), join()];
    lookups[0]?.settle(failed);
    expect(await Promise.all(waiters.map(({ answer }) => answer))).toEqual([
      failed,
      failed,
      failed,
    ]);
  });

  it('continues for the others when one caller disconnects', async () => {
    const { join, lookups } = setUp();
    const [first, second] = [join(), join()];
    first.disconnect();
    expect(await first.answer).toMatchObject({ result: { verdict: 'UNKNOWN' } });
    expect(lookups[0]?.request.signal.aborted).toBe(false);
    lookups[0]?.settle(registered);
    expect(await second.answer).toEqual(registered);
  });

  it('that no caller waits for is dropped before it is sent; a later caller starts a new one', async () => {
    const { join, lookups } = setUp();
    const [one, other] = [join(), join()];
    one.disconnect();
    other.disconnect();
    expect(lookups[0]?.request.signal.aborted).toBe(true);
    const late = join();
    expect(lookups.length).toBe(2);
    lookups[0]?.settle(failed);
    lookups[1]?.settle(registered);
    expect(await late.answer).toEqual(registered);
  });

  it('that was sent completes without callers, and can still be joined', async () => {
    const { join, lookups } = setUp();
    const first = join();
    lookups[0]?.request.observer?.onSent(example.name);
    first.disconnect();
    await first.answer;
    expect(lookups[0]?.request.signal.aborted).toBe(false);
    const second = join();
    expect(lookups.length).toBe(1);
    lookups[0]?.settle(registered);
    expect(await second.answer).toEqual(registered);
  });

  it('is sent for the first caller that still waits; the others have joined it', async () => {
    const { join, lookups } = setUp();
    const events: string[] = [];
    const joinAs = (id: string) =>
      join({
        observer: {
          onJoined: () => events.push(`${id} joins`),
          onSent: (_name, joined = false) => events.push(`${id} sends${joined ? ', joined' : ''}`),
        },
      });
    const first = joinAs('first');
    joinAs('second');
    joinAs('third');
    first.disconnect();
    lookups[0]?.request.observer?.onSent(example.name);
    joinAs('fourth');
    expect(events).toEqual([
      'second joins',
      'third joins',
      'second sends',
      'third sends, joined',
      'fourth joins',
      'fourth sends, joined',
    ]);
  });

  it('is not started for a caller that has disconnected', async () => {
    const { join, lookups } = setUp();
    expect(await join({ signal: AbortSignal.abort() }).answer).toMatchObject({
      result: { verdict: 'UNKNOWN' },
    });
    expect(lookups.length).toBe(0);
  });

  it('may be queued as long as the most patient caller, and is as urgent as the most urgent one that waits now', () => {
    const { clock, join, lookups } = setUp();
    const hurried = join({ queueMs: 1000, priority: 'single' });
    void join({ queueMs: 60_000, priority: 'bulk' });
    const request = lookups[0]?.request;
    expect([request?.queueDeadline, request?.priority]).toEqual([clock.now() + 60_000, 'single']);
    hurried.disconnect();
    expect(request?.priority).toBe('bulk');
  });

  it('that is queued for longer than one of its callers can wait fails for that one only', async () => {
    const { clock, join, lookups } = setUp();
    const hurried = join({ queueMs: 1000 });
    const patient = join({ queueMs: 60_000 });
    clock.advance(1001);
    expect(await hurried.answer).toMatchObject({
      result: { verdict: 'UNKNOWN', problem: { code: 'registry_busy' } },
    });
    lookups[0]?.request.observer?.onSent(example.name);
    lookups[0]?.settle(registered);
    expect(await patient.answer).toEqual(registered);
  });

  it('that is joined by a caller whose time is over fails for that one, though it still waits for another lookup', async () => {
    const { clock, singleFlight, join, lookups } = setUp();
    const other = { ...example, name: parseDomainName('other.test') };
    const patient = join({ query: other, queueMs: 60_000 });
    const request: LookupRequest = {
      signal: new AbortController().signal,
      queueDeadline: clock.now() + 1000,
      account: 'bob',
      priority: 'search',
    };
    const ask = (query: LookupQuery) =>
      singleFlight.lookUp(query, request, () => new Promise(() => undefined));
    const [own, othersOwn] = [join({ ...request }), ask(example)];
    lookups[1]?.request.observer?.onSent(example.name);
    clock.advance(2000);
    const late = ask(other);
    clock.advance(10);
    expect(await late).toMatchObject({
      result: { verdict: 'UNKNOWN', problem: { code: 'registry_busy' } },
    });
    lookups[1]?.settle(registered);
    expect(await Promise.all([own.answer, othersOwn])).toEqual([registered, registered]);
    lookups[0]?.settle(registered);
    expect(await patient.answer).toEqual(registered);
    expect(clock.pending).toBe(0);
  });

  it('that was sent in time is waited for, however long it takes', async () => {
    const { clock, join, lookups } = setUp();
    const waiter = join({ queueMs: 1000 });
    lookups[0]?.request.observer?.onSent(example.name);
    clock.advance(4000);
    lookups[0]?.settle(registered);
    expect(await waiter.answer).toEqual(registered);
    expect(clock.pending).toBe(0);
  });
});

it('stopping fails the lookups of all waiting callers and of later ones', async () => {
  const { clock, singleFlight, join, lookups } = setUp();
  const sent = [join(), join()];
  lookups[0]?.request.observer?.onSent(example.name);
  const queued = join({ query: { ...example, name: parseDomainName('queued.test') } });
  singleFlight.stop();
  const late = join();
  const answers = await Promise.all([...sent, queued, late].map(({ answer }) => answer));
  expect(answers.map(({ result: { verdict, problem } }) => `${verdict} ${problem?.code}`)).toEqual([
    'UNKNOWN registry_timeout',
    'UNKNOWN registry_timeout',
    'UNKNOWN registry_busy',
    'UNKNOWN registry_busy',
  ]);
  expect([lookups.length, lookups[1]?.request.signal.aborted, clock.pending]).toEqual([2, true, 0]);
});

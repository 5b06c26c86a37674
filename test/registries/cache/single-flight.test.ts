import { describe, expect, it } from 'vitest';
import { SingleFlight } from '../../../src/registries/cache/single-flight.ts';
import {
  parseDomainName,
  splitName,
  type DomainName,
} from '../../../src/domain/names/domain-name.ts';
import { createAnswer, failedAnswer, type Answer } from '../../../src/domain/answer.ts';
import type { NameQuery, LookupRequest } from '../../../src/domain/source.ts';
import { Problem } from '../../../src/domain/problems.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

const registered = createAnswer({ verdict: 'REGISTERED' });
const failed = failedAnswer(new Problem('registry_error', 'The registry failed.'));
const example = { name: splitName(parseDomainName('example.test')), detail: 'record' as const };

/** The test settles the lookups; `lookups` has one entry for each started lookup. */
function setUp() {
  const clock = manualClock();
  const singleFlight = new SingleFlight(clock);
  const lookups: { request: LookupRequest; settle: (answer: Answer) => void }[] = [];
  const start = (request: LookupRequest) =>
    new Promise<Answer>((resolve) => void lookups.push({ request, settle: resolve }));

  function join({
    query = example,
    queueMs = 5000,
    ...changed
  }: Partial<LookupRequest> & { query?: NameQuery; queueMs?: number } = {}) {
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
  it('is shared by concurrent callers of a name, but not with later ones', async () => {
    const { join, lookups } = setUp();
    const first = join();
    const second = join({ query: { ...example, maxAge: 0 } });
    expect(lookups.length).toBe(1);
    lookups[0]?.settle(registered);
    expect(await Promise.all([first.answer, second.answer])).toEqual([registered, registered]);
    void join();
    expect(lookups.length).toBe(2);
  });

  it('is started for each distinct name', () => {
    const { join, lookups } = setUp();
    void join();
    void join({ query: { ...example, name: splitName(parseDomainName('other.test')) } });
    expect(lookups.length).toBe(2);
  });

  it('that fails returns the failure to all waiting callers', async () => {
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
    expect(await first.answer).toMatchObject({ data: undefined });
    expect(lookups[0]?.request.signal.aborted).toBe(false);
    lookups[0]?.settle(registered);
    expect(await second.answer).toEqual(registered);
  });

  it('is aborted if all callers disconnect before it is sent; a later caller starts a new one', async () => {
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

  it('continues without callers once it is sent, and can still be joined', async () => {
    const { join, lookups } = setUp();
    const first = join();
    lookups[0]?.request.observer?.onSent(example.name.ascii);
    first.disconnect();
    await first.answer;
    expect(lookups[0]?.request.signal.aborted).toBe(false);
    const second = join();
    expect(lookups.length).toBe(1);
    lookups[0]?.settle(registered);
    expect(await second.answer).toEqual(registered);
  });

  it('is reported as sent to the first waiting caller, and as joined to the others', async () => {
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
    lookups[0]?.request.observer?.onSent(example.name.ascii);
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

  it('is not started for a caller that has already disconnected', async () => {
    const { join, lookups } = setUp();
    expect(await join({ signal: AbortSignal.abort() }).answer).toMatchObject({ data: undefined });
    expect(lookups.length).toBe(0);
  });

  it('has the latest queue deadline of all callers and the highest priority of the waiting ones', () => {
    const { clock, join, lookups } = setUp();
    const urgent = join({ queueMs: 1000, priority: 'single' });
    void join({ queueMs: 60_000, priority: 'bulk' });
    const request = lookups[0]?.request;
    expect([request?.queueDeadline, request?.priority]).toEqual([clock.now() + 60_000, 'single']);
    urgent.disconnect();
    expect(request?.priority).toBe('bulk');
  });

  it('that is queued past the deadline of one caller fails for that caller only', async () => {
    const { clock, join, lookups } = setUp();
    const early = join({ queueMs: 1000 });
    const late = join({ queueMs: 60_000 });
    clock.advance(1001);
    expect(await early.answer).toMatchObject({ problem: { code: 'registry_busy' } });
    lookups[0]?.request.observer?.onSent(example.name.ascii);
    lookups[0]?.settle(registered);
    expect(await late.answer).toEqual(registered);
  });

  it('fails for a caller that joins after its deadline, but not a sent lookup of the same caller', async () => {
    const { clock, singleFlight, join, lookups } = setUp();
    const other = { ...example, name: splitName(parseDomainName('other.test')) };
    const patient = join({ query: other, queueMs: 60_000 });
    const request: LookupRequest = {
      signal: new AbortController().signal,
      queueDeadline: clock.now() + 1000,
      account: 'bob',
      priority: 'search',
    };
    const lookUp = (query: NameQuery) =>
      singleFlight.lookUp(query, request, () => new Promise(() => undefined));
    const [started, joined] = [join({ ...request }), lookUp(example)];
    lookups[1]?.request.observer?.onSent(example.name.ascii);
    clock.advance(2000);
    const late = lookUp(other);
    clock.advance(10);
    expect(await late).toMatchObject({ problem: { code: 'registry_busy' } });
    lookups[1]?.settle(registered);
    expect(await Promise.all([started.answer, joined])).toEqual([registered, registered]);
    lookups[0]?.settle(registered);
    expect(await patient.answer).toEqual(registered);
    expect(clock.pending).toBe(0);
  });

  it('that was sent before the deadline is not subject to it any more', async () => {
    const { clock, join, lookups } = setUp();
    const waiter = join({ queueMs: 1000 });
    lookups[0]?.request.observer?.onSent(example.name.ascii);
    clock.advance(4000);
    lookups[0]?.settle(registered);
    expect(await waiter.answer).toEqual(registered);
    expect(clock.pending).toBe(0);
  });
});

it('remembers the latest ten thousand completed lookups, also if older ones are asked for', async () => {
  const { singleFlight, join, lookups } = setUp();
  const complete = async (label: string) => {
    const name = splitName(`${label}.test` as DomainName);
    const { answer } = join({ query: { ...example, name } });
    lookups.pop()?.settle(registered);
    await answer;
    return name.ascii;
  };
  const older: string[] = [];
  for (let index = 0; index < 9999; index++) older.push(await complete(`older-${index}`));
  const count = singleFlight.completedCount;
  const latest = await complete('latest');
  for (const key of older) singleFlight.hasCompletedSince(key, count);
  await complete('next');
  expect(singleFlight.hasCompletedSince(latest, count)).toBe(true);
});

it('stop() fails the lookups of all waiting and all later callers', async () => {
  const { clock, singleFlight, join, lookups } = setUp();
  const sent = [join(), join()];
  lookups[0]?.request.observer?.onSent(example.name.ascii);
  const queued = join({ query: { ...example, name: splitName(parseDomainName('queued.test')) } });
  singleFlight.stop();
  const late = join();
  const answers = await Promise.all([...sent, queued, late].map(({ answer }) => answer));
  expect(answers.map(({ data, problem }) => data ?? problem?.code)).toEqual(
    'registry_timeout registry_timeout registry_busy registry_busy'.split(' '),
  );
  expect([lookups.length, lookups[1]?.request.signal.aborted, clock.pending]).toEqual([2, true, 0]);
});

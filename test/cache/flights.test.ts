import { describe, expect, it } from 'vitest';
import { createFlights } from '../../src/cache/flights.ts';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import { unanswered, type Answer, type Asker, type Question } from '../../src/domain/registry.ts';
import { Problem } from '../../src/problems.ts';
import { manualClock } from '../support/manual-clock.ts';

const registered: Answer = { verdict: 'REGISTERED', cached: false, stale: false };
const failed = unanswered(new Problem('registry_error', 'The registry failed.'));
const example = { name: parseDomainName('example.test'), part: 'record' as const };

/** Flights whose lookups wait for the test; `lookups` holds one entry a flight. */
function setUp() {
  const clock = manualClock();
  const flights = createFlights(clock);
  const lookups: { asker: Asker; land: (answer: Answer) => void }[] = [];
  const lookUp = (_question: Question, asker: Asker) => new Promise<Answer>((resolve) => void lookups.push({ asker, land: resolve }));

  function join({ question = example, patience = 5000, ...changed }: Partial<Asker> & { question?: Question; patience?: number } = {}) {
    const leaver = new AbortController();
    const asker: Asker = { signal: leaver.signal, sendBy: clock.now() + patience, account: 'alice', kind: 'bulk', ...changed };
    return { answer: flights.join(question, asker, lookUp), leave: () => leaver.abort() };
  }
  return { clock, flights, join, lookups };
}

describe('a flight', () => {
  it('is one for all who ask for a name at the same time, and a new one afterwards', async () => {
    const { join, lookups } = setUp();
    const first = join();
    const second = join({ question: { ...example, maxAge: 0 } });
    expect(lookups.length).toBe(1);
    lookups[0]?.land(registered);
    expect(await Promise.all([first.answer, second.answer])).toEqual([registered, registered]);
    void join();
    expect(lookups.length).toBe(2);
  });

  it('is one for each name', () => {
    const { join, lookups } = setUp();
    void join();
    void join({ question: { ...example, name: parseDomainName('other.test') } });
    expect(lookups.length).toBe(2);
  });

  it('that fails, fails for all who wait', async () => {
    const { join, lookups } = setUp();
    const waiters = [join(), join(), join()];
    lookups[0]?.land(failed);
    expect(await Promise.all(waiters.map(({ answer }) => answer))).toEqual([failed, failed, failed]);
  });

  it('goes on for the others when one leaves', async () => {
    const { join, lookups } = setUp();
    const [leaver, stays] = [join(), join()];
    leaver.leave();
    expect(await leaver.answer).toMatchObject({ verdict: 'UNKNOWN' });
    expect(lookups[0]?.asker.signal.aborted).toBe(false);
    lookups[0]?.land(registered);
    expect(await stays.answer).toEqual(registered);
  });

  it('that nobody waits for and is not yet sent is dropped; who comes then starts anew', async () => {
    const { join, lookups } = setUp();
    const [one, other] = [join(), join()];
    one.leave();
    other.leave();
    expect(lookups[0]?.asker.signal.aborted).toBe(true);
    const late = join();
    expect(lookups.length).toBe(2);
    lookups[0]?.land(failed);
    lookups[1]?.land(registered);
    expect(await late.answer).toEqual(registered);
  });

  it('that is sent finishes, though nobody waits, and may still be joined', async () => {
    const { join, lookups } = setUp();
    const first = join();
    lookups[0]?.asker.onSent?.(example.name);
    first.leave();
    await first.answer;
    expect(lookups[0]?.asker.signal.aborted).toBe(false);
    const second = join();
    expect(lookups.length).toBe(1);
    lookups[0]?.land(registered);
    expect(await second.answer).toEqual(registered);
  });

  it('is sent for the first who still waits; the others have joined it', async () => {
    const { join, lookups } = setUp();
    const events: string[] = [];
    const joinAs = (id: string) =>
      join({
        onJoined: () => events.push(`${id} joins`),
        onSent: (_name, joined = false) => events.push(`${id} sends${joined ? ', joined' : ''}`),
      });
    const first = joinAs('first');
    joinAs('second');
    joinAs('third');
    first.leave();
    lookups[0]?.asker.onSent?.(example.name);
    joinAs('fourth');
    expect(events).toEqual(['second joins', 'third joins', 'second sends', 'third sends, joined', 'fourth joins', 'fourth sends, joined']);
  });

  it('is not started by somebody who has left', async () => {
    const { join, lookups } = setUp();
    expect(await join({ signal: AbortSignal.abort() }).answer).toMatchObject({ verdict: 'UNKNOWN' });
    expect(lookups.length).toBe(0);
  });

  it('is as patient and as urgent as the most patient and the most urgent who wait now', () => {
    const { clock, join, lookups } = setUp();
    const hurried = join({ patience: 1000, kind: 'single' });
    void join({ patience: 60_000, kind: 'bulk' });
    const asker = lookups[0]?.asker;
    expect([asker?.sendBy, asker?.kind]).toEqual([clock.now() + 60_000, 'single']);
    hurried.leave();
    expect(asker?.kind).toBe('bulk');
  });

  it('that waits longer than one of its passengers can leaves without him', async () => {
    const { clock, join, lookups } = setUp();
    const hurried = join({ patience: 1000 });
    const patient = join({ patience: 60_000 });
    clock.advance(1001);
    expect(await hurried.answer).toMatchObject({ verdict: 'UNKNOWN', problem: { code: 'registry_busy' } });
    lookups[0]?.asker.onSent?.(example.name);
    lookups[0]?.land(registered);
    expect(await patient.answer).toEqual(registered);
  });

  it('that is joined when the time of who joins is over leaves without him, though he still waits for another', async () => {
    const { clock, flights, join, lookups } = setUp();
    const other = { ...example, name: parseDomainName('other.test') };
    const patient = join({ question: other, patience: 60_000 });
    const asker: Asker = { signal: new AbortController().signal, sendBy: clock.now() + 1000, account: 'bob', kind: 'search' };
    const ask = (question: Question) => flights.join(question, asker, () => new Promise(() => undefined));
    const [own, othersOwn] = [join({ ...asker }), ask(example)];
    lookups[1]?.asker.onSent?.(example.name);
    clock.advance(2000);
    const late = ask(other);
    clock.advance(10);
    expect(await late).toMatchObject({ verdict: 'UNKNOWN', problem: { code: 'registry_busy' } });
    lookups[1]?.land(registered);
    expect(await Promise.all([own.answer, othersOwn])).toEqual([registered, registered]);
    lookups[0]?.land(registered);
    expect(await patient.answer).toEqual(registered);
    expect(clock.pending).toBe(0);
  });

  it('that was sent in time is waited for, however long it takes', async () => {
    const { clock, join, lookups } = setUp();
    const waiter = join({ patience: 1000 });
    lookups[0]?.asker.onSent?.(example.name);
    clock.advance(4000);
    lookups[0]?.land(registered);
    expect(await waiter.answer).toEqual(registered);
    expect(clock.pending).toBe(0);
  });
});

it('when the process ends, all who wait are told that it is not known, and so is who comes later', async () => {
  const { clock, flights, join, lookups } = setUp();
  const sent = [join(), join()];
  lookups[0]?.asker.onSent?.(example.name);
  const queued = join({ question: { ...example, name: parseDomainName('queued.test') } });
  flights.end();
  const late = join();
  const told = await Promise.all([...sent, queued, late].map(({ answer }) => answer));
  expect(told.map(({ verdict, problem }) => `${verdict} ${problem?.code}`)).toEqual([
    'UNKNOWN registry_timeout',
    'UNKNOWN registry_timeout',
    'UNKNOWN registry_busy',
    'UNKNOWN registry_busy',
  ]);
  expect([lookups.length, lookups[1]?.asker.signal.aborted, clock.pending]).toEqual([2, true, 0]);
});

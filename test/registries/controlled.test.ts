import { describe, expect, it } from 'vitest';
import type { StoredAnswer } from '../../src/domain/answer.ts';
import { maxUnverifiedPerNode } from '../../src/registries/proof/canary-state.ts';
import { registeredNames } from '../../src/registries/proof/canary-names.ts';
import { MemoryAnswers } from '../../src/storage/memory/answers.ts';
import { controlled, outcomeOf } from '../support/servers/controlled.ts';
import { dasReplies } from '../support/bodies/das-replies.ts';
import { startFakeDas, type DasScript } from '../support/servers/fake-das-server.ts';
import { frozenClock } from '../support/time/frozen-clock.ts';
import { manualClock } from '../support/time/manual-clock.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** A registry of .lt in which these names are registered. */
function lt(...registered: string[]): DasScript {
  return (query) => {
    const name = query.replace('get 1.0 ', '');
    return dasReplies.lt(name, registered.includes(name) ? 'registered' : 'available');
  };
}

const everything =
  (status: string): DasScript =>
  (query) =>
    dasReplies.lt(query.replace('get 1.0 ', ''), status);

const honest = lt('google.lt', 'taken.lt');

describe('an AVAILABLE of a server with controls', () => {
  it('counts if a sample name is registered and a random name is available', async () => {
    await using server = await startFakeDas(honest);
    expect(await controlled('lt', server).lookUp('free.lt')).toBe('AVAILABLE');
    expect(server.queries).toEqual([
      'get 1.0 free.lt\n',
      expect.stringMatching(/^get 1\.0 [a-z]{24}\.lt\n$/),
      'get 1.0 google.lt\n',
    ]);
  });

  it.each([
    ['reports every name as available', everything('available')],
    [
      'reports all other names as registered',
      (query, socket) =>
        everything(/\bfree\b/.test(query) ? 'available' : 'registered')(query, socket),
    ],
    ['finds no sample name', lt('taken.lt')],
    [
      'limits control lookups',
      (query) => (/\bfree\b/.test(query) ? dasReplies.lt('free.lt', 'available') : 'limit\n'),
    ],
    [
      'closes the connection on control lookups',
      (query) => (/\bfree\b/.test(query) ? dasReplies.lt('free.lt', 'available') : ''),
    ],
  ] satisfies [string, DasScript][])('never counts if the server %s', async (_what, script) => {
    const clock = frozenClock();
    await using server = await startFakeDas(script);
    const { lookUp } = controlled('lt', server, { clock });
    for (let time = 0; time < 2 * hour; time += 10 * minute) {
      expect(await lookUp('free.lt')).toBe('untrusted_answer');
      clock.advance(10 * minute);
    }
  });

  describe('that contradicts a stored answer', () => {
    const cached: StoredAnswer = {
      name: 'free.lt',
      verdict: 'REGISTERED',
      endpoint: 'dns://lt/',
      checkedAt: 0,
      isComplete: true,
    };

    it('counts only after new controls, even within five minutes', async () => {
      const clock = frozenClock();
      await using server = await startFakeDas(honest);
      const { lookUp, answerFor } = controlled('lt', server, { clock });
      await lookUp('free.lt');
      clock.advance(minute);
      expect(outcomeOf(await answerFor('dropped.lt', {}, { cached }))).toBe('AVAILABLE');
      expect(server.queries.slice(3)).toEqual([
        'get 1.0 dropped.lt\n',
        expect.stringMatching(/^get 1\.0 [a-z]{24}\.lt\n$/),
        'get 1.0 google.lt\n',
      ]);
    });

    it.each<[string, DasScript]>([
      ['reports every name as available', everything('available')],
      [
        'closes the connection on control lookups',
        (query) => (query.includes('taken') ? dasReplies.lt('taken.lt', 'available') : ''),
      ],
    ])('does not count if the server %s', async (_what, script) => {
      const clock = frozenClock();
      await using server = await startFakeDas(honest);
      const { lookUp, answerFor } = controlled('lt', server, { clock });
      await lookUp('free.lt');
      server.use(script);
      clock.advance(minute);
      expect(outcomeOf(await answerFor('taken.lt', {}, { cached }))).toBe('untrusted_answer');
    });
  });

  it('counts if only the second sample name is registered', async () => {
    await using server = await startFakeDas(lt('domreg.lt'));
    expect(await controlled('lt', server).lookUp('free.lt')).toBe('AVAILABLE');
  });

  it.each(['eu', 'be', 'lt', 'ch'] as const)(
    'of .%s must have the lines of controls',
    async (tld) => {
      const samples = registeredNames(tld).map((name) => name.replace(`.${tld}`, ''));
      await using server = await startFakeDas((query) => {
        const name = query.replace(/^get 1\.0 /, '');
        const isTaken = samples.includes(name.replace(`.${tld}`, ''));
        const taken = tld === 'be' ? 'not available' : 'registered';
        const line = name.startsWith('held') ? '% Slow down\r\n' : '';
        if (tld === 'ch') return `${dasReplies.ch(isTaken ? '0' : '1')}${line}`;
        return `${line}${dasReplies[tld](name, isTaken ? taken : 'available')}`;
      });
      const { lookUp } = controlled(tld, server);
      expect(await lookUp(`held.${tld}`)).toBe('untrusted_answer');
      expect(await lookUp(`free.${tld}`)).toBe('AVAILABLE');
      expect(await lookUp(`held.${tld}`)).toBe('untrusted_answer');
    },
  );

  it('counts if one random name is refused', async () => {
    let refusals = 0;
    await using server = await startFakeDas((query, socket) =>
      /[a-z]{24}/.test(query) && refusals++ === 0 ? 'restricted\n' : honest(query, socket),
    );
    expect(await controlled('lt', server).lookUp('free.lt')).toBe('AVAILABLE');
    expect(new Set(server.queries).size).toBe(4);
  });

  it('counts for five minutes after the controls, which then run again', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(honest);
    const { lookUp } = controlled('lt', server, { clock });
    await lookUp('free.lt');
    clock.advance(5 * minute - 1);
    expect(await lookUp('free.lt')).toBe('AVAILABLE');
    expect(server.queries.length).toBe(4);
    clock.advance(1);
    expect(await lookUp('free.lt')).toBe('AVAILABLE');
    expect(server.queries.length).toBe(7);
    clock.advance(5 * minute);
    server.use(everything('available'));
    expect(await lookUp('free.lt')).toBe('untrusted_answer');
  });

  describe('of a server that loses its data right after the controls', () => {
    it.each<[string, 'one after the other' | 'in parallel', number]>([
      ['one after the other', 'one after the other', 120],
      ['in parallel', 'in parallel', 200],
    ])('counts for at most twenty names that are looked up %s', async (_title, way, count) => {
      await using server = await startFakeDas(honest);
      const { lookUp } = controlled('lt', server);
      expect(await lookUp('free.lt')).toBe('AVAILABLE');
      server.use(everything('available'));
      const names = Array.from({ length: count }, (_, index) => `held${index}.lt`);
      const outcomes: string[] = [];
      if (way === 'in parallel') outcomes.push(...(await Promise.all(names.map(lookUp))));
      else for (const name of names) outcomes.push(await lookUp(name));
      expect(outcomes.filter((outcome) => outcome === 'AVAILABLE')).toHaveLength(20);
    });

    it('counts for at most twenty names at all nodes of a cluster together', async () => {
      const wiring = { clock: frozenClock(), store: new MemoryAnswers() };
      await using server = await startFakeDas(honest);
      const maxUnverified = maxUnverifiedPerNode(3);
      const nodes = Array.from({ length: 3 }, () =>
        controlled('lt', server, { ...wiring, maxUnverified }),
      );
      for (const node of nodes) expect(await node.lookUp('free.lt')).toBe('AVAILABLE');
      server.use(everything('available'));
      const outcomes: string[] = [];
      for (let i = 0; i < 40; i += 1)
        for (const node of nodes) outcomes.push(await node.lookUp(`held${i}.lt`));
      const wrong = outcomes.filter((outcome) => outcome === 'AVAILABLE').length;
      expect(wrong).toBeGreaterThan(0);
      expect(wrong).toBeLessThanOrEqual(20);
    });
  });

  it('counts for many names of an honest server in parallel, with few controls', async () => {
    await using server = await startFakeDas(honest);
    const { lookUp } = controlled('lt', server);
    const names = Array.from({ length: 200 }, (_, index) => `free${index}.lt`);
    const outcomes = await Promise.all(names.map(lookUp));
    expect(new Set(outcomes)).toEqual(new Set(['AVAILABLE']));
    // Concurrent names share their controls, of which each twenty names in turn need two.
    expect(server.queries.length).toBeLessThanOrEqual(200 + 2 * (200 / 20));
  });

  it('counts for the next name only after new controls if the DNS contradicts one', async () => {
    await using server = await startFakeDas(honest);
    const { source, lookUp } = controlled('lt', server);
    await lookUp('free.lt');
    source.recordContradiction();
    server.use(everything('available'));
    expect(await lookUp('held.lt')).toBe('untrusted_answer');
  });

  it('counts again after a later control, at the earliest 30 seconds after the failed one', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(everything('available'));
    const { lookUp } = controlled('lt', server, { clock });
    await lookUp('free.lt');
    server.use(honest);
    clock.advance(30 * second - 1);
    expect(await lookUp('free.lt')).toBe('untrusted_answer');
    clock.advance(1);
    expect(await lookUp('free.lt')).toBe('AVAILABLE');
  });

  it('does not wait for the controls longer than for the response', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas((query, socket) =>
      /\bfree\b/.test(query) ? honest(query, socket) : undefined,
    );
    const answer = await controlled('lt', server, { clock }).answerFor('free.lt', {
      responseDeadline: clock.now() + 500,
    });
    expect(outcomeOf(answer)).toBe('untrusted_answer');
    expect(answer.provenance.checkedAt).toBeUndefined();
    expect(answer.provenance.attempts.map(({ phase, code }) => `${phase} ${code}`)).toEqual([
      'queue sent',
      'exchange available',
      'canary inconclusive',
    ]);
  });

  it('has two seconds for the response and the controls if it has no deadline', async () => {
    const clock = manualClock();
    const control = Promise.withResolvers<void>();
    await using server = await startFakeDas((query, socket) => {
      if (!/\bfree\b/.test(query)) {
        control.resolve();
        return undefined;
      }
      clock.advance(500);
      return honest(query, socket);
    });
    const answer = controlled('lt', server, { clock }).lookUp('free.lt');
    await control.promise;
    // The control lookup itself would time out 500 ms later.
    clock.advance(1500);
    expect(await answer).toBe('untrusted_answer');
  });
});

describe('another verdict of a server with controls', () => {
  it.each(['registered', 'reserved', 'pendingDelete'])('(%s) needs no control', async (status) => {
    await using server = await startFakeDas(everything(status));
    const { lookUp } = controlled('lt', server);
    expect(await lookUp('name.lt')).not.toBe('untrusted_answer');
    expect(server.queries).toEqual(['get 1.0 name.lt\n']);
  });

  it('counts while the controls fail', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(everything('available'));
    const { lookUp, answerFor, lines } = controlled('lt', server, { clock });
    expect(await lookUp('free.lt')).toBe('untrusted_answer');
    server.use(lt('taken.lt'));
    expect(await lookUp('taken.lt')).toBe('REGISTERED');
    clock.advance(minute);
    const { problem } = await answerFor('free.lt');
    expect(problem?.message).toContain('does not tell registered from unregistered names');
    expect(lines.map(({ level, server: key }) => [level, key])).toEqual([
      ['warn', `lt das://127.0.0.1:${server.port}/`],
    ]);
  });
});

describe('the controls of a server', () => {
  it('are shared by concurrent lookups', async () => {
    await using server = await startFakeDas(honest);
    const { lookUp } = controlled('lt', server);
    const names = ['free1.lt', 'free2.lt', 'free3.lt', 'taken.lt'];
    expect(await Promise.all(names.map(lookUp))).toEqual(
      'AVAILABLE AVAILABLE AVAILABLE REGISTERED'.split(' '),
    );
    expect(server.queries.length).toBe(names.length + 2);
  });

  it('are separate for each TLD of a server', async () => {
    await using server = await startFakeDas(onlyCh);
    expect(await controlled('ch', server).lookUp('free.ch')).toBe('AVAILABLE');
    expect(await controlled('li', server).lookUp('free.li')).toBe('untrusted_answer');
  });

  it('are not repeated by a node that started before another one ran them', async () => {
    const wiring = { clock: frozenClock(), store: new MemoryAnswers() };
    await using server = await startFakeDas(honest);
    const nodes = [controlled('lt', server, wiring), controlled('lt', server, wiring)];
    for (const node of nodes) expect(await node.lookUp('free.lt')).toBe('AVAILABLE');
    expect(server.queries.length).toBe(4);
  });

  it('that fail on one node are known to the others after five minutes', async () => {
    const wiring = { clock: frozenClock(), store: new MemoryAnswers() };
    await using server = await startFakeDas(honest);
    const [failing, other] = [controlled('lt', server, wiring), controlled('lt', server, wiring)];
    expect(await other.lookUp('free.lt')).toBe('AVAILABLE');
    server.use(everything('available'));
    const cached = {
      name: 'gone.lt',
      verdict: 'REGISTERED',
      endpoint: other.source.id,
      checkedAt: 0,
      isComplete: true,
    } as const;
    wiring.clock.advance(5 * minute);
    await failing.answerFor('gone.lt', {}, { cached });
    expect(await other.lookUp('free.lt')).toBe('untrusted_answer');
  });

  it('run again at once if the host queue rejected them', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(honest);
    const limits = { rate: 0.2, burst: 3, concurrency: 10 };
    const { lookUp } = controlled('lt', server, { clock, limits });
    for (const name of ['taken.lt', 'taken.lt']) await lookUp(name);
    expect(await lookUp('free.lt')).toBe('untrusted_answer');
    expect(server.queries.length).toBe(3);
    clock.advance(15 * second);
    expect(await lookUp('free.lt')).toBe('AVAILABLE');
  });

  it('work without a store', async () => {
    const call = rejectingCall;
    const store = { read: call, put: call, putIfAbsent: call, deleteIf: call };
    await using server = await startFakeDas(honest);
    const { lookUp } = controlled('lt', server, { store });
    expect(await lookUp('free.lt')).toBe('AVAILABLE');
    expect(await lookUp('free.lt')).toBe('AVAILABLE');
    expect(server.queries.length).toBe(4);
  });
});

it('a service that has blocked the gateway is not queried for an hour', async () => {
  const clock = frozenClock();
  await using server = await startFakeDas(() => '%% RC=-3\r\n');
  const { lookUp } = controlled('be', server, { clock });
  expect(await lookUp('taken.be')).toBe('registry_error');
  clock.advance(30 * minute);
  expect(await lookUp('taken.be')).toBe('registry_busy');
  expect(server.queries.length).toBe(1);
  clock.advance(31 * minute);
  expect(await lookUp('taken.be')).toBe('registry_error');
});

describe('controls that expire while they run', () => {
  it('run again before an AVAILABLE counts', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas((query, socket) => {
      clock.advance(1);
      if (/[a-z]{24}/.test(query)) void source.expireControls();
      return honest(query, socket);
    });
    const { source, lookUp } = controlled('lt', server, { clock });
    const before = clock.now();
    clock.advance(minute);
    expect(await lookUp('free.lt')).toBe('untrusted_answer');
    expect(source.trustsCached(source.id, before)).toBe(false);
    server.use(honest);
    expect(await lookUp('free.lt')).toBe('AVAILABLE');
    expect(source.trustsCached(source.id, before)).toBe(false);
  });

  it('run again on this node if those of another node began before', async () => {
    const clock = frozenClock();
    const store = new MemoryAnswers();
    await using server = await startFakeDas((query, socket) => {
      clock.advance(1);
      if (/[a-z]{24}/.test(query)) void own.source.expireControls();
      return honest(query, socket);
    });
    const own = controlled('lt', server, { clock, store });
    const other = controlled('lt', server, { clock, store });
    const before = clock.now();
    clock.advance(minute);
    expect(await other.lookUp('free.lt')).toBe('AVAILABLE');
    clock.advance(6 * minute);
    server.use(everything('available'));
    expect(await own.lookUp('free.lt')).toBe('untrusted_answer');
    server.use(honest);
    clock.advance(minute);
    expect(await own.lookUp('free.lt')).toBe('AVAILABLE');
    expect(own.source.trustsCached(own.source.id, before)).toBe(false);
  });
});

describe('a stored AVAILABLE', () => {
  it.each([
    ['closes the connection', () => ''],
    ['limits queries', () => 'RC: -2\n'],
  ])('is trusted while a server %s on control lookups', async (_what, reply) => {
    const clock = frozenClock();
    const free = dasReplies.be('free.be', 'AVAILABLE');
    await using server = await startFakeDas((query) => (query === 'free.be' ? free : reply()));
    const { source, lookUp } = controlled('be', server, { clock });
    expect(await lookUp('free.be')).toBe('untrusted_answer');
    expect(source.trustsCached(source.id, clock.now())).toBe(true);
  });

  it('is not trusted while a server that has failed cannot be checked', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(everything('available'));
    const { source, lookUp } = controlled('lt', server, { clock });
    await lookUp('free.lt');
    clock.advance(minute);
    server.use((query, socket) => (/\bfree\b/.test(query) ? honest(query, socket) : ''));
    await lookUp('free.lt');
    expect(source.trustsCached(source.id, clock.now())).toBe(false);
  });

  it('is trusted while only some request forms of its server have failed', async () => {
    await using server = await startFakeDas((query) =>
      query.startsWith('get 2.0 ') ? '' : dasReplies.eu(query.split(' ').at(-1) ?? '', 'FREE'),
    );
    const clock = frozenClock();
    const { source, lookUp } = controlled('eu', server, { clock });
    expect(await lookUp('free.eu')).toBe('untrusted_answer');
    expect(source.trustsCached(source.id, clock.now())).toBe(true);
  });

  it('is trusted until the controls of its server fail', async () => {
    const clock = frozenClock();
    const store = new MemoryAnswers();
    await using server = await startFakeDas(honest);
    const { source, lookUp } = controlled('lt', server, { clock, store });
    const storedAt = clock.now();
    await lookUp('free.lt');
    clock.advance(2 * hour);
    expect(source.trustsCached(source.id, storedAt)).toBe(true);
    server.use(everything('available'));
    await lookUp('free.lt');
    expect(source.trustsCached(source.id, storedAt)).toBe(false);
    // After a restart, the failure is known as soon as the store was read.
    const restarted = controlled('lt', server, { clock, store });
    expect(restarted.source.trustsCached(source.id, storedAt)).toBe(false);
    await restarted.lookUp('taken.lt');
    expect(restarted.source.trustsCached(source.id, storedAt)).toBe(false);
  });

  it('from before the recovery of its server is not trusted', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(everything('available'));
    const { source, lookUp } = controlled('lt', server, { clock });
    const before = clock.now();
    await lookUp('free.lt');
    clock.advance(minute);
    server.use(honest);
    await lookUp('free.lt');
    expect(source.trustsCached(source.id, before)).toBe(false);
    expect(source.trustsCached(source.id, clock.now())).toBe(true);
  });
});

function rejectingCall(): Promise<never> {
  return Promise.reject(new Error('The store is unavailable.'));
}

/** Knows the sample names of .ch, but not those of .li. */
function onlyCh(query: string): string {
  return /^(?:google|nic)\.ch$/.test(query) ? '0: No\r\n' : '1: Yes\r\n';
}

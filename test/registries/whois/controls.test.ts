// cspell:ignore tcinet
import { describe, expect, it } from 'vitest';
import { registeredNames } from '../../../src/registries/proof/canary-names.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { controlled } from '../../support/servers/controlled.ts';
import {
  startFakeDas as startServer,
  type DasScript,
} from '../../support/servers/fake-das-server.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { settled } from '../../support/stores/open-queue.ts';
import { whoisReplies } from '../../support/bodies/whois-replies.ts';

const { at, it: itReplies, my, ru } = whoisReplies;
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const registeredIn = (tld: string, name: string) =>
  ({ ru, at, my, it: itReplies })[tld]?.registered(name) ?? '';
const isRegistered = (name: string) => /^(?:google|tcinet|taken)\./.test(name);
const honest: DasScript = (name) => (isRegistered(name) ? ru.registered(name) : ru.notFound);
/** The fields of registrations have other names, and the terms contain the "not found". */
const renamed: DasScript = (name) =>
  isRegistered(name) ? `Domain Name: ${name}\nState: taken\n${ru.notFound}` : ru.notFound;
const refusing: DasScript = () => `Please slow down.\n${ru.notFound}`;
const changed: DasScript = (name) => (isRegistered(name) ? ru.registered(name) : 'It is free.\n');

describe('an AVAILABLE of a WHOIS server', () => {
  it('has the matched pattern and the time of the controls as evidence', async () => {
    const clock = frozenClock();
    await using server = await startServer(honest);
    const { data, provenance } = await controlled('ru', server, { clock }).answerFor('free.ru');
    expect(data?.verdict).toBe('AVAILABLE');
    expect(provenance.evidence).toEqual({
      unproven: false,
      pattern: 'available-1',
      controlsPassedAt: clock.now(),
    });
  });

  it.each<[string, DasScript]>([
    ['reports every name as unregistered', () => ru.notFound],
    ['changes the fields of registrations and has the "not found" in its terms', renamed],
    [
      'reports every other name as registered',
      (name) => (name === 'free.ru' ? ru.notFound : ru.registered(name)),
    ],
    [
      'reports control names as unregistered in another text',
      (name, socket) => (name === 'free.ru' ? ru.notFound : changed(name, socket)),
    ],
    ['refuses controls', (name) => (name === 'free.ru' ? ru.notFound : 'Quota exceeded\n')],
  ])('never counts if the server %s', async (_what, script) => {
    const clock = frozenClock();
    await using server = await startServer(script);
    const { lookUp } = controlled('ru', server, { clock });
    for (let time = 0; time < 2 * hour; time += 20 * minute) {
      expect(await lookUp('free.ru')).toMatch(/^(?:untrusted_answer|registry_busy)$/);
      clock.advance(20 * minute);
    }
  });

  it('is unclear once the text has changed, and counts again if it is as before', async () => {
    const clock = frozenClock();
    await using server = await startServer(honest);
    const { lookUp } = controlled('ru', server, { clock });
    expect(await lookUp('free.ru')).toBe('AVAILABLE');
    server.use(changed);
    expect(await lookUp('free.ru')).toBe('whois_unclear');
    clock.advance(hour);
    expect(await lookUp('free.ru')).toBe('whois_unclear');
    expect(await lookUp('taken.ru')).toBe('REGISTERED');
    server.use(honest);
    expect(await lookUp('free.ru')).toBe('AVAILABLE');
  });

  it.each([
    'Your query rate is too high. Please slow down.',
    'This service is for registrars only.',
    '% Access from your network has been restricted.',
    'ERROR: internal failure, results may be incomplete',
    'The domain is blocked.',
  ])('is unclear if the reply also has a line that controls do not have (%s)', async (line) => {
    const replies = {
      ru: () => ru.notFound,
      at: () => at.notFound,
      my: my.notFound,
      it: (name: string) => itReplies.status(name, 'AVAILABLE'),
    };
    for (const [tld, notFound] of Object.entries(replies)) {
      await using server = await startServer((name) =>
        registeredNames(tld).some((sample) => sample === name)
          ? registeredIn(tld, name)
          : `${name.startsWith('free') ? '' : `${line}\n`}${notFound(name)}`,
      );
      const { lookUp } = controlled(tld, server);
      expect(await lookUp(`free.${tld}`)).toBe('whois_unclear'); // the control has the line
      server.use((name) =>
        registeredNames(tld).some((sample) => sample === name)
          ? registeredIn(tld, name)
          : `${name.startsWith('held') ? `${line}\n` : ''}${notFound(name)}`,
      );
      const later = controlled(tld, server);
      expect(await later.lookUp(`free.${tld}`)).toBe('AVAILABLE');
      expect(await later.lookUp(`held.${tld}`)).toBe('whois_unclear');
      expect(await later.lookUp(`free2.${tld}`)).toBe('AVAILABLE');
    }
  });

  it('counts if only the time and the counters of the reply differ from the controls', async () => {
    let queries = 0;
    await using server = await startServer((name, socket) =>
      String(honest(name, socket)).replace(
        /Last updated.*/,
        () => `Last updated on 2026-11-23T10:00:${10 + ++queries}Z\nQuery ${queries} of 500`,
      ),
    );
    const { lookUp } = controlled('ru', server);
    for (let i = 0; i < 5; i += 1) expect(await lookUp(`free${i}.ru`)).toBe('AVAILABLE');
  });

  it('counts after new controls, 30 seconds after the last, if all replies have a new line', async () => {
    const clock = frozenClock();
    await using server = await startServer(honest);
    const { lookUp } = controlled('ru', server, { clock });
    await lookUp('free.ru');
    server.use((name, socket) => `% New terms apply.\n${String(honest(name, socket))}`);
    clock.advance(30 * second - 1);
    expect(await lookUp('free.ru')).toBe('whois_unclear');
    clock.advance(1);
    expect(await lookUp('free.ru')).toBe('AVAILABLE');
  });

  it('causes new controls at most every 30 seconds while all replies differ', async () => {
    const clock = frozenClock();
    let letters = 'a';
    await using server = await startServer(
      (name, socket) => `${(letters += 'a')}\n${String(honest(name, socket))}`,
    );
    const { lookUp } = controlled('ru', server, { clock });
    for (let i = 0; i < 9; i += 1) {
      expect(await lookUp('free.ru')).toBe('whois_unclear');
      clock.advance(10 * second);
    }
    expect(server.queries.filter((query) => query !== 'free.ru\r\n')).toHaveLength(3 * 2);
  });

  it('does not count if the server begins to refuse all names during the controls', async () => {
    for (let sent = 1; sent <= 3; sent += 1) {
      await using server = await startServer((name, socket) =>
        (server.queries.length > sent ? refusing : honest)(name, socket),
      );
      const { lookUp } = controlled('ru', server);
      await lookUp('free.ru');
      expect(await lookUp('taken.ru')).not.toBe('AVAILABLE');
    }
  });

  it('is compared with the controls that ran before a restart', async () => {
    const store = new MemoryAnswers();
    const clock = frozenClock();
    await using server = await startServer(honest);
    await controlled('ru', server, { clock, store }).lookUp('free.ru');
    server.use(() => `Please slow down.\n${ru.notFound}`);
    const { lookUp } = controlled('ru', server, { clock, store });
    expect(await lookUp('held.ru')).toBe('whois_unclear');
    expect(server.queries).toHaveLength(4);
  });

  it('does not count if it was received before a server that failed has recovered', async () => {
    const clock = frozenClock();
    await using server = await startServer(() => ru.notFound);
    const { lookUp, source } = controlled('ru', server, { clock });
    expect(await lookUp('taken.ru')).toBe('untrusted_answer');
    clock.advance(minute);
    server.use(() => {
      server.use(honest); // it recovers after this reply
      return ru.notFound;
    });
    expect(await lookUp('taken.ru')).toBe('REGISTERED');
    expect(source.trustsCached(source.id, clock.now())).toBe(true);
  });
});

describe('the controls of a WHOIS server', () => {
  it('use the queue of the host, but neither the account nor the priority of the caller', async () => {
    await using server = await startServer(honest);
    const { lookUp, requests } = controlled('ru', server);
    await lookUp('free.ru');
    expect(requests).toEqual(['alice bulk', 'canary single', 'canary single']);
  });

  it('end within the time limit of the first lookup at one query per 2 seconds', async () => {
    const clock = manualClock();
    const startedAt = clock.now();
    await using server = await startServer(honest);
    const limits = { rate: 0.5, burst: 1, concurrency: 1 };
    const { lookUp, queue } = controlled('ru', server, { clock, limits });
    const pending = lookUp('free.ru');
    for (let sent = 1; sent < 3; sent += 1) {
      await server.whenQueried(sent);
      while (queue.status().queued === 0) await settled();
      clock.advance(2 * second);
    }
    expect(await pending).toBe('AVAILABLE');
    expect(clock.now() - startedAt).toBe(4 * second);
  });

  it('are not repeated after a restart, or at another node with the same store', async () => {
    const clock = frozenClock();
    const store = new MemoryAnswers();
    await using server = await startServer(honest);
    await controlled('ru', server, { clock, store }).lookUp('free.ru');
    clock.advance(5 * minute - 1);
    expect(await controlled('ru', server, { clock, store }).lookUp('other.ru')).toBe('AVAILABLE');
    expect(server.queries).toHaveLength(4);
  });

  it('that failed still count after a restart', async () => {
    const clock = frozenClock();
    const store = new MemoryAnswers();
    await using server = await startServer(() => ru.notFound);
    const before = clock.now();
    await controlled('ru', server, { clock, store }).lookUp('taken.ru');
    const { lookUp, source } = controlled('ru', server, { clock, store });
    expect(await lookUp('taken.ru')).toBe('untrusted_answer');
    expect(source.trustsCached(source.id, before)).toBe(false);
    expect(server.queries).toHaveLength(5);
  });

  it('run again after the operator changed the format of the server', async () => {
    const clock = frozenClock();
    const store = new MemoryAnswers();
    await using server = await startServer(honest);
    await controlled('ru', server, { clock, store, forms: ['old'] }).lookUp('free.ru');
    server.use(() => ru.notFound);
    const { lookUp } = controlled('ru', server, { clock, store, forms: ['new'] });
    expect(await lookUp('taken.ru')).toBe('untrusted_answer');
  });

  it('that failed before the operator changed the format still distrust earlier answers', async () => {
    const clock = frozenClock();
    const store = new MemoryAnswers();
    await using server = await startServer(honest);
    const old = controlled('ru', server, { clock, store, forms: ['old'] });
    await old.lookUp('free.ru');
    const storedAt = clock.now();
    clock.advance(hour);
    server.use(() => ru.notFound);
    await old.lookUp('free.ru');
    server.use(honest);
    clock.advance(minute);
    const { lookUp, source } = controlled('ru', server, { clock, store, forms: ['new'] });
    expect(await lookUp('free.ru')).toBe('AVAILABLE');
    expect(source.trustsCached(source.id, storedAt)).toBe(false);
    expect(source.trustsCached(source.id, clock.now())).toBe(true);
  });

  it('expire with the trust in earlier answers, also if they had not passed', async () => {
    const clock = frozenClock();
    await using server = await startServer(honest);
    const { lookUp, source } = controlled('ru', server, { clock });
    await lookUp('free.ru');
    const storedAt = clock.now();
    clock.advance(2 * hour);
    await source.expireControls();
    expect(source.trustsCached(source.id, storedAt)).toBe(false);
    expect(await lookUp('free.ru')).toBe('AVAILABLE');
    expect(source.trustsCached(source.id, clock.now())).toBe(true);
  });
});

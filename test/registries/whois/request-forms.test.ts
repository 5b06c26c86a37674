import { describe, expect, it } from 'vitest';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { controlled, outcomeOf } from '../../support/servers/controlled.ts';
import { dasReplies } from '../../support/bodies/das-replies.ts';
import { startFakeDas, type DasScript } from '../../support/servers/fake-das-server.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';

const hour = 60 * 60_000;

describe('a server with several request forms', () => {
  const forms = ['get 1.0 ', 'get 2.0 ', ''] as const;

  /** A registry of .eu that understands one form, and takes any other query for a name. */
  function eu(form: (typeof forms)[number]): DasScript {
    return (query) => {
      const isValid = query.startsWith(form) && (form !== '' || query.endsWith('.eu'));
      if (!isValid) return dasReplies.eu(query.split(' ').at(-1) ?? '', 'AVAILABLE');
      const label = query.slice(form.length).replace(/\.eu$/, '');
      return dasReplies.eu(
        label,
        label === 'eurid' || label === 'taken' ? 'REGISTERED' : 'AVAILABLE',
      );
    };
  }

  it.each(forms)('is queried in the form that passes the controls: "%s"', async (form) => {
    await using server = await startFakeDas(eu(form));
    const { lookUp } = controlled('eu', server);
    expect(await lookUp('taken.eu')).toBe('REGISTERED');
    const inForm = form === '' ? 'taken.eu\n' : `${form}taken\r\n`;
    expect(server.queries.filter((query) => /\btaken\b/.test(query))).toEqual([inForm]);
    expect(await lookUp('free.eu')).toBe('AVAILABLE');
    expect(server.queries.filter((query) => /\bfree\b/.test(query)).length).toBe(1);
  });

  it('is queried in the chosen form after a restart, without new controls', async () => {
    const wiring = { clock: frozenClock(), store: new MemoryAnswers() };
    await using server = await startFakeDas(eu(''));
    await controlled('eu', server, wiring).lookUp('taken.eu');
    const count = server.queries.length;
    wiring.clock.advance(2 * hour);
    const { lookUp } = controlled('eu', server, wiring);
    expect(await lookUp('taken.eu')).toBe('REGISTERED');
    expect(await lookUp('free.eu')).toBe('AVAILABLE');
    expect(server.queries.slice(count)).toEqual([
      'taken.eu\n',
      'free.eu\n',
      expect.stringMatching(/^[a-z]{24}\.eu\n$/),
      'eurid.eu\n',
    ]);
  });

  it('is not queried in a form that a former version has stored', async () => {
    const wiring = { clock: frozenClock(), store: new MemoryAnswers() };
    await using server = await startFakeDas(eu(''));
    const former = controlled('eu', server, { ...wiring, forms: ['{name}\n'] });
    expect(await former.lookUp('free.eu')).toBe('AVAILABLE');
    server.use(eu('get 2.0 '));
    const { lookUp } = controlled('eu', server, {
      ...wiring,
      forms: ['get 1.0 {label}\r\n', 'get 2.0 {label}\r\n'],
    });
    expect(await lookUp('taken.eu')).toBe('REGISTERED');
  });

  it('is queried in another form after it has changed', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(eu('get 1.0 '));
    const { lookUp } = controlled('eu', server, { clock });
    expect(await lookUp('free.eu')).toBe('AVAILABLE');
    server.use(eu('get 2.0 '));
    clock.advance(hour);
    // The answer that starts the controls was in the old form.
    expect(await lookUp('free.eu')).toBe('untrusted_answer');
    expect(await lookUp('free.eu')).toBe('AVAILABLE');
    expect(await lookUp('taken.eu')).toBe('REGISTERED');
  });

  it('is queried in the first form, and never gives AVAILABLE, if no form passes', async () => {
    await using server = await startFakeDas((query) =>
      dasReplies.eu(query.split(' ').at(-1) ?? '', /\btaken\b/.test(query) ? 'REGISTERED' : 'FREE'),
    );
    const { lookUp } = controlled('eu', server);
    expect(await lookUp('free.eu')).toBe('untrusted_answer');
    expect(await lookUp('taken.eu')).toBe('REGISTERED');
    expect(server.queries.filter((query) => /\b(?:free|taken)\b/.test(query))).toEqual([
      'get 1.0 free\r\n',
      'get 1.0 taken\r\n',
    ]);
  });

  it('gives no verdict in a form that is not confirmed in time', async () => {
    const clock = frozenClock();
    await using server = await startFakeDas(() => undefined);
    const answer = await controlled('eu', server, { clock }).answerFor('free.eu', {
      queueDeadline: clock.now() + 100,
    });
    expect(outcomeOf(answer)).toBe('untrusted_answer');
    expect(server.queries.filter((query) => /\bfree\b/.test(query))).toEqual([]);
  });
});

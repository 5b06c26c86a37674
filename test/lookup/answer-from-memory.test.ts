import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { askedEntry } from '../../src/domain/asked.ts';
import type { Directory } from '../../src/domain/directory.ts';
import type { Answer } from '../../src/domain/registry.ts';
import { createLookup } from '../../src/lookup/lookup.ts';
import { Problem } from '../../src/problems.ts';

type Place = ReturnType<Directory['find']>;

const memory = {};
const answer: Answer = { verdict: 'AVAILABLE', endpoint: 'https://rdap.example/', checkedAt: 1, cached: true, stale: false, memory };
const served: Place = {
  registry: { id: 'it', ask: () => [], recall: async (questions) => new Map(questions.map(({ name }) => [name, answer])) },
};
const gone: Place = { problem: new Problem('unsupported_tld', 'No RDAP server is known for .example.') };

/** What the names are remembered as, where the list of registries changes after the read. */
async function recalled(domains: readonly string[], later: Place) {
  let place = served;
  const told: string[] = [];
  const lookup = createLookup([{ names: domains.map(askedEntry), maxAge: undefined, part: 'verdict', kind: 'bulk' }], {
    directory: { find: () => place },
    registrars: { get: async () => null },
    clock: systemClock,
    onOutcome: ({ status }) => void told.push(status),
    asker: () => ({ signal: new AbortController().signal, account: 'me', sendBy: Infinity }),
    patienceMs: 0,
  });
  expect(await lookup.recall()).toBe(true);
  place = later;
  return { memory: lookup.answerFromMemory(), told, answered: lookup.progress.answered.size };
}

test('a single name that is remembered counts as answered, and is known by what it is remembered as', async () => {
  expect(await recalled(['a.example'], served)).toEqual({ memory, told: ['AVAILABLE'], answered: 1 });
});

test('a name whose TLD leaves the list in the middle of an operation is not told from memory', async () => {
  expect(await recalled(['a.example'], gone)).toEqual({ memory: undefined, told: ['UNSUPPORTED_TLD'], answered: 0 });
});

test('of several names nothing is told before somebody asks', async () => {
  expect(await recalled(['a.example', 'b.example'], served)).toEqual({ memory: undefined, told: [], answered: 0 });
});

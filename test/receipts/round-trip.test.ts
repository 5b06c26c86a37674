import { expect, it } from 'vitest';
import { derive } from '../../src/app/recorded-lookup.ts';
import { openJws } from '../../src/receipts/jws.ts';
import { readPayload, type Payload } from '../../src/receipts/payload.ts';
import { isSameJudgment } from '../../src/receipts/receipts.ts';
import { seededRandom } from '../support/time/random.ts';
import { rounds, seed } from '../fuzz/fuzzing.ts';
import { receiptMaker } from './receipt-maker.ts';

const count = rounds(300);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';

it(`verifies ${count} receipts of all kinds, and none with one changed byte, with the seed ${seed}`, async () => {
  const random = seededRandom(seed);
  const kinds = new Map<string, number>();
  const [sizes, makeMs, verifyMs]: [number[], number[], number[]] = [[], [], []];
  await using maker = receiptMaker();
  for (let round = 0; round < count; round += 1) {
    const started = performance.now();
    const { jws, rule, verdict, domain } = await maker.make(random);
    makeMs.push(performance.now() - started);
    const { keys } = await maker.keys();
    sizes.push(jws.length);
    kinds.set(`${verdict} ${rule}`, (kinds.get(`${verdict} ${rule}`) ?? 0) + 1);
    const content = Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString();
    expect(content).not.toMatch(/Jane|someone@|Private Person/);

    const before = performance.now();
    const payload = readPayload(openJws(jws, keys)) as Payload;
    const derived = await derive(payload);
    verifyMs.push(performance.now() - before);
    expect(isSameJudgment(derived, payload), `${domain}: ${JSON.stringify(derived)}`).toBe(true);

    const position = random.below(jws.length);
    const others = [...alphabet].filter((character) => character !== jws[position]);
    const other = others[random.below(others.length)] ?? '';
    const changed = jws.slice(0, position) + other + jws.slice(position + 1);
    expect(() => openJws(changed, keys), `byte ${position} of ${jws}`).toThrow();
  }
  expect(kinds.size).toBeGreaterThan(9);
  const figures = { kinds, characters: of(sizes), makeMs: of(makeMs), verifyMs: of(verifyMs) };
  if (process.env['FUZZ_ROUNDS']) console.log(figures);
}, 3_600_000);

function of(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], max: sorted.at(-1) };
}

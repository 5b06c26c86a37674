import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';
import { seededRandom } from '../support/time/random.ts';
import { rounds, seed } from '../fuzz/fuzzing.ts';
import { receiptMaker } from './receipt-maker.ts';

const hasPython = spawnSync('python3', ['-c', '']).status === 0;

it.skipIf(!hasPython)(
  `another verifier, in Python, agrees, with the seed ${seed} (skipped without python3)`,
  async () => {
    const random = seededRandom(seed);
    await using folder = await scratch();
    await using maker = receiptMaker();
    const file = (name: string | number) => join(folder.path, `${name}.json`);
    const expected: string[] = [];
    for (let round = 0; round < rounds(120, 0.1); round += 1) {
      const { jws, verdict, rule } = await maker.make(random);
      const isForged = random.chance(0.2);
      const [header = '', payload = '', signature = ''] = jws.split('.');
      const other = payload.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
      const forged = [header, other, signature].join('.');
      await writeFile(file(round), JSON.stringify({ jws: isForged ? forged : jws }));
      expected.push(isForged ? 'forged' : `${verdict} ${rule}`);
    }
    await writeFile(file('keys'), JSON.stringify(await maker.keys()));
    const verifier = join(import.meta.dirname, 'verifier.py');
    const files = expected.map((_, round) => file(round));
    const { stdout, stderr } = await run('python3', [verifier, file('keys'), ...files]);
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    const plain = lines.flatMap((line, round) =>
      line === 'other' ? [] : [[line, expected[round]]],
    );
    expect(plain.map(([said]) => said)).toEqual(plain.map(([, known]) => known));
    expect(lines).toHaveLength(expected.length);
    expect(plain.length).toBeGreaterThan(expected.length / 10);
  },
  600_000,
);

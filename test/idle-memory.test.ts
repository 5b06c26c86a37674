import { expect, it } from 'vitest';
import { projectFolder, run } from './support/package/run.ts';

// Ends when the memory of a burst is released; the timer of the collector alone keeps no process.
const script = `
  import { collectWhenIdle } from './src/app/idle-memory.ts';
  const size = () => process.memoryUsage.rss() / 2 ** 20;
  collectWhenIdle();
  const before = size();
  let burst = Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: 'name' + index }));
  const after = size();
  burst = undefined;
  setInterval(() => {
    if (size() > before + (after - before) / 2) return;
    console.log(after > before + 100 ? 'released' : 'no burst');
    process.exit();
  }, 100);
`;

it('releases the memory of a burst when the process is idle', async () => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: projectFolder,
  });
  expect(stdout.trim()).toBe('released');
});

// V8 finds that what this function returns survives, and allocates it in the old generation. A
// busy machine would finish the code that does so too late, so V8 compiles it in this thread.
const surviving = (calls: string) => `
  import { keepNewObjectsYoung } from './src/app/idle-memory.ts';
  ${calls}
  const make = (index) => [index, { index }];
  let kept = [];
  for (let index = 0; index < 1_000_000; index++) {
    kept.push(make(index));
    if (kept.length > 300_000) kept = [];
  }
  console.log(%InYoungGeneration(make(0)) ? 'young' : 'old');
`;

it.each([
  ['', 'old'],
  ['keepNewObjectsYoung();', 'young'],
])(
  'allocates objects in the young generation even if many survive: %s',
  async (calls, expected) => {
    const { stdout } = await run(
      process.execPath,
      [
        '--allow-natives-syntax',
        '--single-threaded',
        '--max-semi-space-size=1',
        '--input-type=module',
        '--eval',
        surviving(calls),
      ],
      { cwd: projectFolder },
    );
    expect(stdout.trim()).toBe(expected);
  },
);

import { expect, it } from 'vitest';
import { ScratchRepository } from '../support/scratch-repository.ts';

/** Runs the check on a repository that consists of one file. */
async function check(path: string, text: string) {
  await using repository = await ScratchRepository.create();
  await repository.write(path, text);
  return await repository.script('check-vocabulary.ts');
}

it('accepts plain technical English', async () => {
  const text = '// Leaves the queue. The dashboard shows the heartbeat of the shepherd.\n';
  expect(await check('src/queue.ts', text)).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('names the file, the line, the word and what to write instead', async () => {
  const { code, stdout } = await check('docs/guide.md', '# Guide\n\nNobody answers.\n');
  expect(code).toBe(1);
  expect(stdout).toContain('docs/guide.md:3: "nobody" → use no registry');
});

it.each([
  ['in upper case', 'const ASKED_NAMES = 1;', 'asked'],
  ['at the start of a camelCase identifier', 'const askedNames = 1;', 'asked'],
  ['within a camelCase identifier', 'const firstLaneId = 1;', 'lane'],
  ['at the end of a PascalCase identifier', 'class RDAPDoor {}', 'door'],
  ['in a snake_case identifier', 'const rest_door_count = 1;', 'door'],
  ['as a noun that is also a verb', '// Waits for leave.', 'for leave'],
  ['as a phrase', '/** Credits given back. */', 'given back'],
  ['as a phrase over two lines of a comment', '// Credits set\n// aside.', 'set aside'],
])('finds a banned word %s', async (_where, text, word) => {
  const { code, stdout } = await check('src/code.ts', text);
  expect(code).toBe(1);
  expect(stdout).toContain(`src/code.ts:1: "${word}" → use `);
  expect(stdout).toContain('1 problems');
});

it('finds a banned word in a path', async () => {
  const { stdout } = await check('test/rest-door.test.ts', '');
  expect(stdout).toContain('test/rest-door.test.ts: "door" in the path → use API');
});

it('allows a banned word where an exception says so', async () => {
  const text = '- The label `door` is now called `route`.\n- One door less.\n';
  const { stdout } = await check('CHANGELOG.md', text);
  expect(stdout).toContain('CHANGELOG.md:2: "door"');
  expect(stdout).toContain('1 problems');
});

it('reads only files that belong to the repository', async () => {
  await using repository = await ScratchRepository.create();
  await repository.write('.gitignore', 'src/ignored.ts\n');
  await repository.write('src/ignored.ts', '// Nobody.\n');
  await repository.write('notes.txt', 'Nobody.\n');
  expect((await repository.script('check-vocabulary.ts')).code).toBe(0);
});

it('limits the README to 1,500 words', async () => {
  expect((await check('README.md', 'word '.repeat(1500))).code).toBe(0);
  const { code, stdout } = await check('README.md', 'word '.repeat(1501));
  expect(code).toBe(1);
  expect(stdout).toContain('README.md: 1501 words, at most 1500 → move details to docs/');
});

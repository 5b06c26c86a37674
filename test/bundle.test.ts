import {
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { projectFolder, run } from './support/package/run.ts';
import { scratch } from './support/stores/scratch.ts';

/** A project with the same programs and threads, which say which file runs. */
const thread = `import { parentPort } from 'node:worker_threads';
parentPort.postMessage(import.meta.resolve('./beside.js').includes('/bundle/'));`;
const program = `import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { answer } from './answer.ts';

interface Padding { readonly lines: number }
const worker = new Worker(new URL('storage/sqlite/worker.ts', import.meta.url));
worker.once('message', async (isBundled: boolean) => {
  const text = readFileSync(new URL('text.txt', import.meta.url), 'utf8');
  const { fail } = await import('./fail.ts');
  console.log(JSON.stringify({ answer, text, isBundled, ...fail() }));
});`;
const files: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}',
  'tsconfig.json': '{}',
  'node_modules/.package-lock.json': '{}',
  'src/main.ts': program,
  'src/answer.ts': `export const answer: number = 41;`,
  'src/text.txt': 'read',
  'src/fail.ts': `type Never = never;\n\nexport function fail() {
  const url = import.meta.url;
  const trace = new Error('failed').stack?.split('\\n')[1]?.trim().replace('file://', '');
  return { trace, url };
}`,
  'src/cli/main.ts': '',
  'src/cli/keys/keys.ts': '',
  'src/storage/sqlite/worker.ts': thread,
  'src/cli/commands/derive-worker.ts': '',
};

/** Writes a file whose time of modification is always the same. */
function writeAged(path: string, text: string): void {
  writeFileSync(path, text);
  utimesSync(path, 1e9, 1e9);
}

async function project() {
  const folder = await scratch();
  // A replacement of a text treats these characters specially.
  const at = (path: string) => join(folder.path, '$&', path);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeAged(at(path), text);
  }
  for (const path of ['src/bundle.mjs', 'src/require-node.mjs', 'scripts/bundle.mjs'])
    cpSync(join(projectFolder, path), at(path));
  symlinkSync(join(projectFolder, 'node_modules/rolldown'), at('node_modules/rolldown'));
  return {
    at,
    bundle: () => run(process.execPath, ['scripts/bundle.mjs'], { cwd: at('') }),
    start: async (...options: readonly string[]) => {
      const args = [...options, '--import', './src/require-node.mjs', 'src/main.ts'];
      const { stdout, stderr } = await run(process.execPath, args, { cwd: at('') });
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

type Project = Awaited<ReturnType<typeof project>>;

const expected = ({ at }: Project) => ({
  answer: 41,
  text: 'read',
  trace: `at fail (${at('src/fail.ts')}:5:17)`,
  url: pathToFileURL(at('src/fail.ts')).href,
});

it('runs the bundle like the sources: threads, files beside them, lines of stack traces', async () => {
  await using tree = await project();
  expect(await tree.start()).toEqual({ ...expected(tree), isBundled: false });
  expect(await tree.bundle()).toMatchObject({ code: 0, stderr: '' });
  expect(await tree.start()).toEqual({ ...expected(tree), isBundled: true });
});

const change = (path: string, text: string) => (tree: Project) => writeAged(tree.at(path), text);

it.each<[string, (tree: Project) => void, number]>([
  [
    'a source of the same size and age',
    change('src/answer.ts', 'export const answer: number = 42;'),
    42,
  ],
  ['what npm installed', change('node_modules/.package-lock.json', '[]'), 41],
  [
    'the bundle itself, such as an empty file after a power failure',
    ({ at }) => {
      const [build = ''] = readdirSync(at('node_modules/.cache/bundle'));
      for (const name of readdirSync(at(`node_modules/.cache/bundle/${build}`)))
        writeAged(at(`node_modules/.cache/bundle/${build}/${name}`), '');
    },
    41,
  ],
  [
    'the files of the sources, but not of their text',
    ({ at }) => {
      renameSync(at('src'), at('old'));
      cpSync(at('old'), at('src'), { recursive: true, preserveTimestamps: true });
    },
    41,
  ],
])('runs the sources after a change of %s, and bundles them again', async (_, apply, answer) => {
  await using tree = await project();
  await tree.bundle();
  apply(tree);
  expect(await tree.start()).toEqual({ ...expected(tree), answer, isBundled: false });
  await tree.bundle();
  expect(await tree.start()).toEqual({ ...expected(tree), answer, isBundled: true });
});

it('starts while several processes bundle at once', async () => {
  await using tree = await project();
  const [built] = await Promise.all([tree.bundle(), tree.bundle(), tree.start(), tree.start()]);
  expect(built).toMatchObject({ code: 0, stderr: '' });
  expect(await tree.start()).toMatchObject({ answer: 41, isBundled: true });
});

it('runs the sources if no bundle can be written or made', async () => {
  await using tree = await project();
  writeFileSync(tree.at('node_modules/.cache'), '');
  expect(await tree.bundle()).toMatchObject({ code: 0 });
  expect(await tree.start()).toMatchObject({ answer: 41, isBundled: false });

  await using production = await project();
  rmSync(production.at('node_modules/rolldown'));
  expect(await production.bundle()).toMatchObject({ code: 0, stderr: '' });
  expect(await production.start()).toMatchObject({ answer: 41, isBundled: false });
});

it('runs the sources if no process can be started that bundles them', async () => {
  await using tree = await project();
  const immediately = 'globalThis.setTimeout = (run) => { void run(); return { unref() {} }; };';
  const options = ['--permission', '--allow-fs-read=*', '--allow-worker', '--no-warnings'];
  expect(
    await tree.start(...options, `--import=data:text/javascript,${immediately}`),
  ).toMatchObject({ answer: 41, isBundled: false });
});

it('bundles the gateway itself', async () => {
  expect(await run(process.execPath, ['scripts/bundle.mjs'])).toMatchObject({
    code: 0,
    stderr: '',
  });
  const manifest = await readFile(
    join(projectFolder, 'node_modules/.cache/bundle/current.json'),
    'utf8',
  );
  const entries = Object.keys(files).filter((path) => /(?:main|keys|worker)\.ts$/.test(path));
  expect(Object.keys(JSON.parse(manifest).entries).toSorted()).toEqual(
    entries.map((path) => pathToFileURL(join(projectFolder, path)).href).toSorted(),
  );
});

import { copyFile, cp, mkdir, readFile, rename } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { dockerfileStages, type Step } from './dockerfile.ts';
import { npm } from './npm.ts';
import { projectFolder } from './run.ts';

/**
 * Replays the Dockerfile's steps without Docker: copies the files that `.dockerignore` includes,
 * and runs the `npm ci` commands. Resolves to the folder that corresponds to the image's `/`.
 * Rejects with `Offline`, or for an unsupported step.
 */
export async function replayDockerfile(scratch: string): Promise<string> {
  const roots = new Map([['', join(scratch, 'context')]]);
  await copyContext(join(scratch, 'context'));
  let root = '';
  for (const [index, steps] of dockerfileStages().entries()) {
    root = join(scratch, `stage${index}`);
    let folder = root;
    for (const step of steps) {
      if (step.instruction === 'FROM')
        roots.set(/ AS (\S+)$/.exec(step.text)?.[1] ?? `${index}`, root);
      if (step.instruction === 'WORKDIR') folder = join(root, step.text);
      await mkdir(folder, { recursive: true });
      if (step.instruction === 'COPY') await copyStep(step, roots, folder);
      if (step.instruction === 'RUN') await runStep(step, root, folder);
    }
  }
  return root;
}

/** Copies the build context. */
async function copyContext(to: string): Promise<void> {
  const rules = dockerignore
    .default()
    .add(await readFile(join(projectFolder, '.dockerignore'), 'utf8'));
  const paths = globSync('**', {
    cwd: projectFolder,
    withFileTypes: true,
    exclude: ({ name }) => ['node_modules', '.git'].includes(name),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(projectFolder, join(entry.parentPath, entry.name)));
  for (const path of paths.filter((each) => !rules.ignores(each))) {
    await mkdir(join(to, dirname(path)), { recursive: true });
    await copyFile(join(projectFolder, path), join(to, path));
  }
}

async function copyStep(
  { text }: Step,
  roots: ReadonlyMap<string, string>,
  folder: string,
): Promise<void> {
  const [, stage = '', paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? [];
  const [target = '', ...sources] = paths.split(' ').toReversed();
  for (const source of sources) {
    const [from, to] = [
      join(roots.get(stage) ?? '', source),
      join(folder, target, target.endsWith('/') ? source : ''),
    ];
    // Nothing is copied from an earlier stage twice, and moving a folder is faster.
    await (stage === '' ? cp(from, to, { recursive: true }) : rename(from, to));
  }
}

async function runStep({ text }: Step, root: string, folder: string): Promise<void> {
  const [, created] = /^install -d -o node -g node (\S+)$/.exec(text) ?? [];
  if (created !== undefined) return void (await mkdir(join(root, created), { recursive: true }));
  if (!text.startsWith('npm ci ')) throw new Error(`Unsupported step: RUN ${text}`);
  await npm(text.slice('npm '.length), folder);
}

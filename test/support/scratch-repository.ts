import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectFolder, run, type CommandResult } from './run.ts';
import { scratch } from './scratch.ts';

/** Without the variables that Git sets for hooks, which would point to the project's own repository. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};
const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];

/** A Git repository in a temporary folder, which is removed on disposal. */
export class ScratchRepository implements AsyncDisposable {
  readonly path: string;
  readonly #remove: () => PromiseLike<void>;

  private constructor(path: string, remove: () => PromiseLike<void>) {
    this.path = path;
    this.#remove = remove;
  }

  /** Creates an empty repository, or a clone with the given options of `git clone`. */
  static async create(...clone: readonly string[]): Promise<ScratchRepository> {
    const folder = await scratch();
    const repository = new ScratchRepository(folder.path, () => folder[Symbol.asyncDispose]());
    await repository.git(...(clone.length > 0 ? ['clone', '-q', ...clone, '.'] : ['init', '-q']));
    return repository;
  }

  /** Writes a file and creates its folder. */
  async write(path: string, text: string): Promise<void> {
    const target = join(this.path, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }

  /** Commits all files; the commit may be empty. */
  async commit(message: string): Promise<void> {
    await this.git('add', '--all');
    await this.git(...author, 'commit', '-q', '--allow-empty', '-m', message);
  }

  /** Runs a Git command. Rejects if it fails. */
  async git(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await run('git', args, { cwd: this.path, env: environment });
    if (code !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  }

  /** Runs a script of the project in this repository. */
  script(file: string, ...args: readonly string[]): Promise<CommandResult> {
    const script = join(projectFolder, 'scripts', file);
    return run(process.execPath, [script, ...args], { cwd: this.path, env: environment });
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#remove();
  }
}

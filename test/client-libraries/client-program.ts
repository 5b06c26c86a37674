import { copyFile, cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder, run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';
import { toolPath } from './tool-path.ts';

const here = import.meta.dirname;

/** A program in a temporary folder, with a client library and the code that it generates. */
export interface ClientProgram extends AsyncDisposable {
  readonly path: string;
  /** Runs a script of a package in the program's folder. Throws with its output if it fails. */
  generate(packageName: string, script: string, ...args: readonly string[]): Promise<void>;
  /** Compiles the program and the generated code, and returns the compiler's errors. */
  compile(): Promise<readonly string[]>;
  /** Runs the compiled program and returns the JSON that it prints. */
  run(...args: readonly string[]): Promise<unknown>;
}

export interface ClientProgramOptions {
  /** The module format of its files. */
  readonly type?: 'commonjs' | 'module';
  /** Additional compiler options. */
  readonly compilerOptions?: Readonly<Record<string, boolean>>;
}

/** Compiler options that are common in front ends: strict, with Node's module resolution. */
const commonOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  outDir: 'compiled',
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  skipLibCheck: true,
};

/** Copies a program and the schema to a temporary folder that links the client libraries. */
export async function openClientProgram(
  name: string,
  { type = 'commonjs', compilerOptions = {} }: ClientProgramOptions = {},
): Promise<ClientProgram> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await scratch());
  const path = join(folder.path, 'program');
  await cp(join(here, 'programs', name), path, { recursive: true });
  await copyFile(join(here, 'programs/same.ts'), join(path, 'same.ts'));
  await copyFile(join(projectFolder, 'schema/schema.graphql'), join(path, 'schema.graphql'));
  await symlink(join(here, 'node_modules'), join(path, 'node_modules'));
  await symlink(join(projectFolder, 'node_modules'), join(folder.path, 'node_modules'));
  await writeFile(join(path, 'package.json'), JSON.stringify({ type }));
  const tsconfig = {
    compilerOptions: { ...commonOptions, ...compilerOptions },
    include: ['**/*.ts'],
    exclude: ['node_modules'],
  };
  await writeFile(join(path, 'tsconfig.json'), JSON.stringify(tsconfig));
  const node = (...args: readonly string[]) => run(process.execPath, args, { cwd: path });
  const opened = parts.move();
  return {
    path,
    async generate(packageName, script, ...args) {
      const preloaded = ['--import', join(here, 'typescript-for-generators.ts')];
      const { code, stdout, stderr } = await node(
        ...preloaded,
        toolPath(packageName, script),
        ...args,
      );
      if (code !== 0) throw new Error(`${packageName} failed: ${stdout}${stderr}`);
    },
    async compile() {
      const { stdout } = await node(toolPath('typescript', 'bin/tsc'), '--pretty', 'false');
      return stdout.split('\n').filter((line) => line.includes('error TS'));
    },
    async run(...args) {
      const { code, stdout, stderr } = await node(join(path, 'compiled/program.js'), ...args);
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { projectFolder } from '../package/run.ts';

/** Whether `script` of util-linux is installed, which opens pseudo-terminals. */
export const hasTerminal =
  process.platform === 'linux' &&
  String(spawnSync('script', ['--version']).stdout).includes('util-linux');

/** A program whose output is on a pseudo-terminal or in a pipe. */
export interface Screen {
  /** Resolves to the output so far, once it matches. Rejects if the program exits before that. */
  shown(pattern: RegExp): Promise<string>;
  /** Resolves when the program has exited. On a terminal, the code of a signal is 128 and its number. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  /** Sends SIGINT; on a terminal, by Ctrl-C. */
  interrupt(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs a shell command in the project's folder on a pseudo-terminal. */
export function openTerminal(command: string, env: Environment): Screen {
  const args = ['--quiet', '--return', '--command', `exec ${command}`, '/dev/null'];
  // `script` passes Ctrl-C on to the program, and would kill it two seconds after a signal.
  return open('script', args, env, (child) => void child.stdin?.write('\u0003'));
}

/** Runs a shell command in the project's folder with its output in a pipe. */
export function openPipe(command: string, env: Environment): Screen {
  return open('sh', ['-c', `exec ${command}`], env, (child) => void child.kill('SIGINT'));
}

function open(
  program: string,
  args: readonly string[],
  env: Environment,
  interrupt: (child: ReturnType<typeof spawn>) => void,
): Screen {
  const child = spawn(program, args, {
    cwd: projectFolder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  return {
    ended,
    interrupt: () => interrupt(child),
    async shown(pattern) {
      while (!pattern.test(output)) {
        const hasEnded = await Promise.race([
          once(child.stdout, 'data').then(() => false),
          ended.then(() => true),
        ]);
        if (hasEnded && !pattern.test(output)) throw new Error(`The program exited: ${output}`);
      }
      return output;
    },
  };
}

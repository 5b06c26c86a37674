import { similarName } from './similar-name.ts';
import { usageError } from './command-error.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { shells } from './shell-words.ts';
import { zshScript } from './zsh.ts';

const scripts: ReadonlyMap<string, () => string> = new Map(
  Object.entries({
    bash: bashScript,
    zsh: zshScript,
    fish: fishScript,
  } satisfies Record<(typeof shells)[number], () => string>),
);

/** Prints the completion script of a shell. Throws `CommandError`. */
export function completion([shell = '']: readonly string[]): 0 {
  const script = scripts.get(shell);
  if (!script) {
    const similar = similarName(shell, shells);
    throw usageError(
      `Unknown shell ${JSON.stringify(shell)}. ${similar ? `Did you mean ${similar}?` : `Use one of ${shells.join(', ')}.`}`,
    );
  }
  process.stdout.write(script());
  return 0;
}

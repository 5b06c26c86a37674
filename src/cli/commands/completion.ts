import { readFileSync } from 'node:fs';
import { usageError } from '../command-error.ts';
import { mainProgram } from '../command-table.ts';
import type { Surroundings } from '../surroundings.ts';
import keys from '../keys/commands.json' with { type: 'json' };
import { similarName } from '../../shared/similar-name.ts';

/** The scripts ask the program itself what may follow, so that they need no update with it. */
const shells = ['bash', 'zsh', 'fish'];

function scriptOf(shell: string): string {
  return readFileSync(new URL(`rdap-gateway.${shell}`, import.meta.url), 'utf8');
}

/**
 * Prints the completion script of a shell. For `words`, prints what may stand in place of the last
 * of the words after the name of the program, with its description. Throws `CommandError`.
 */
export function completion(
  [shell = '', ...words]: readonly string[],
  { streams }: Surroundings,
): 0 {
  const suggested = shell === 'words' ? suggestionsFor(words) : undefined;
  const output =
    suggested?.map((suggestion) => `${suggestion.join('\t')}\n`).join('') ??
    (shells.includes(shell) ? scriptOf(shell) : undefined);
  if (output === undefined) {
    const similar = similarName(shell, shells);
    throw usageError(
      `Unknown shell ${JSON.stringify(shell)}. ${similar ? `Did you mean ${similar}?` : `Use one of ${shells.join(', ')}.`}`,
    );
  }

  streams.stdout.write(output);
  return 0;
}

type Suggestion = readonly [word: string, description: string];

function suggestionsFor([command = '', ...words]: readonly string[]): readonly Suggestion[] {
  if (words.length === 0)
    return [
      ...summariesOf(mainProgram.commands),
      ['--help', 'Show the help'],
      ['--version', 'Show the version'],
    ];

  const spec = new Map(Object.entries(mainProgram.commands)).get(command);
  const previous = words.at(-2)?.replace(/^--/, '') ?? '';
  const option = spec?.options.includes(previous) ? mainProgram.options[previous] : undefined;
  if (option?.placeholder !== undefined)
    return option.choices?.map((choice): Suggestion => [choice, '']) ?? [];

  const options = spec?.options ?? [];
  return [
    ...(command === 'keys' ? summariesOf(keys.commands) : []),
    ...(command === 'completion' ? shells.map((shell) => [shell, ''] as const) : []),
    ...options.map((name): Suggestion => [`--${name}`, mainProgram.options[name]?.text ?? '']),
    ['--help', 'Show the help'],
  ];
}

function summariesOf(
  commands: Readonly<Record<string, { readonly summary: string }>>,
): readonly Suggestion[] {
  return Object.entries(commands).map(([name, { summary }]) => [name, summary]);
}

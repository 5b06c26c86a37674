import { commandNames, optionOf, specOf, type CommandName } from './command-table.ts';

const program = 'rdap-gateway';

/** Returns the help for the program. */
export function programHelp(): string {
  const commands = commandNames.map((name) => [name, specOf(name).summary] as const);
  return [
    `Usage: ${program} COMMAND [OPTIONS]`,
    'Checks whether domain names are available and who holds them.',
    `Commands:\n${formatTerms(commands)}`,
    `Options:\n${formatTerms([
      ['-h, --help', 'Show the help for the program, or for a command'],
      ['-v, --version', 'Show the version'],
    ])}`,
    examplesOf(commandNames.flatMap((name) => specOf(name).examples.slice(0, 1))),
    `Run \`${program} COMMAND --help\` for the options of a command.`,
  ].join('\n\n');
}

/** Returns the help for a command. */
export function commandHelp(name: CommandName): string {
  const { summary, usage, details, options, examples } = specOf(name);
  const terms = options.map((option) => {
    const { placeholder = '', text } = optionOf(option);
    return [`--${option} ${placeholder}`.trimEnd(), text] as const;
  });
  return [
    `Usage: ${program} ${name} ${usage}`.trimEnd(),
    `${summary}. ${details}`.trimEnd(),
    ...(terms.length > 0 ? [`Options:\n${formatTerms(terms)}`] : []),
    examplesOf(examples),
  ].join('\n\n');
}

function examplesOf(examples: readonly (readonly [line: string, purpose: string])[]): string {
  const lines = examples.map(([line, purpose]) => `  # ${purpose}\n  ${program} ${line}`);
  return `Examples:\n${lines.join('\n')}`;
}

function formatTerms(terms: readonly (readonly [term: string, text: string])[]): string {
  const width = Math.max(...terms.map(([term]) => term.length));
  return terms.map(([term, text]) => `  ${term.padEnd(width)}  ${text}`).join('\n');
}

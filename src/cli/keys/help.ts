import { basename } from 'node:path';
import { commandSpecs, optionSpecs, type CommandSpec } from './command-specs.ts';

/** The command line of the program, as it was started. */
const program =
  basename(process.argv[1] ?? '') === 'keys.ts' ? 'npm run -s keys --' : 'rdap-gateway keys';
const accountNote =
  'ACCOUNT is the ID of an account, or its name if no other active account has it.';

/** Returns the help for the program. */
export function programHelp(): string {
  const commands = Object.entries(commandSpecs).map(
    ([name, { summary }]) => [name, summary] as const,
  );
  return [
    `Usage: ${program} COMMAND [OPTIONS]`,
    'Manages the API keys in the store at STORE_URL, also while gateways use it.',
    `Commands:\n${formatTerms(commands)}`,
    `Run \`${program} COMMAND --help\` for the options of a command.`,
  ].join('\n\n');
}

/** Returns the help for a command. */
export function commandHelp(name: string, spec: CommandSpec): string {
  const options = spec.options.map((option) => {
    const [placeholder, text] = optionSpecs[option];
    return [`--${option} ${placeholder}`.trim(), text] as const;
  });
  return [
    `Usage: ${program} ${name}${spec.takesAccount ? ' ACCOUNT' : ''}${options.length > 0 ? ' [OPTIONS]' : ''}`,
    `${spec.summary}. ${spec.details}${spec.takesAccount ? ` ${accountNote}` : ''}`,
    ...(options.length > 0 ? [`Options:\n${formatTerms(options)}`] : []),
  ].join('\n\n');
}

function formatTerms(terms: readonly (readonly [term: string, text: string])[]): string {
  const width = Math.max(...terms.map(([term]) => term.length));
  return terms.map(([term, text]) => `  ${term.padEnd(width)}  ${text}`).join('\n');
}

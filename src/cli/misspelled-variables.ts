import { similarName } from '../shared/similar-name.ts';

/**
 * Returns the variables that are probably misspelled: those similar to a known one, and all unknown
 * ones that start with `RDAP_`, each with the known one that was probably meant, if any.
 */
export function misspelledVariables(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
) {
  return Object.entries(environment)
    .filter(([name, value = '']) => !known.includes(name) && !isServiceLink(name, value))
    .map(([name]) => ({ name, suggestion: suggestionFor(name, known) }))
    .filter(({ name, suggestion }) => suggestion !== undefined || name.startsWith('RDAP_'));
}

/**
 * Returns whether Docker or Kubernetes set a variable for a service, which may have the name
 * `rdap`.
 */
function isServiceLink(name: string, value: string): boolean {
  return /_SERVICE_(?:HOST|PORT)|_PORT_\d+_/.test(name) || /^(?:tcp|udp):\/\//.test(value);
}

function suggestionFor(name: string, known: readonly string[]): string | undefined {
  // `RDAP_TIMEOUT` lacks the unit of `RDAP_TIMEOUT_MS`.
  const longer = name.includes('_')
    ? known.find((other) => other.startsWith(`${name}_`))
    : undefined;
  return similarName(name, known) ?? longer;
}

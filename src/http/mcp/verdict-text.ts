import type { Cost } from '../../accounts/account.ts';
import type { Verdict } from './shapes.ts';

/** Returns the results in a few lines, for clients that read only text: names by verdict. */
export function verdictLines(
  results: readonly Verdict[],
  cost: Cost | undefined,
): readonly string[] {
  const available = results.filter((result) => result.available === true);
  const taken = results.filter((result) => result.available === false);
  const unknown = results.filter((result) => result.available === null);
  return [
    `${available.length} of ${results.length} names are available.`,
    ...line('Available', available, ({ domain }) => domain),
    ...line('Not available', taken, ({ domain, status }) =>
      status === 'registered' ? domain : `${domain} (${status})`,
    ),
    ...line(
      'Unknown, which does not mean available',
      unknown,
      ({ domain, reason }) => `${domain} (${reason ?? 'unknown'})`,
    ),
    ...costText(cost),
  ];
}

function line(
  title: string,
  results: readonly Verdict[],
  textOf: (result: Verdict) => string,
): readonly string[] {
  return results.length === 0 ? [] : [`${title}: ${results.map(textOf).join(', ')}`];
}

/** Returns the verdict of one name as a sentence. */
export function singleVerdictText({ domain, available, status, reason }: Verdict): string {
  if (available === null)
    return `It is unknown whether ${domain} is available (${reason ?? status}).`;
  return available
    ? `${domain} is available: the registry has no registration for it.`
    : `${domain} is not available (${status}).`;
}

/** Returns a line with the cost of a call; none for a caller that is not metered. */
export function costText(cost: Cost | undefined): readonly string[] {
  return cost ? [`Credits: ${cost.charged} charged, ${cost.remaining} left.`] : [];
}

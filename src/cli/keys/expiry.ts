import { CliError } from './cli-error.ts';

/**
 * Parses an expiry: a date, a number of days from now such as `30d`, or `never` (null). Returns
 * epoch ms. Throws `CliError`.
 */
export function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null;
  const expiresAt = timeOf(text, now);
  if (expiresAt === undefined || !(expiresAt > now))
    throw new CliError(
      2,
      `--expires must be a future date such as 2027-01-31 (UTC), a number of days such as 30d, or never; got ${JSON.stringify(text)}.`,
    );
  return expiresAt;
}

const dayMs = 24 * 60 * 60 * 1000;

function timeOf(text: string, now: number): number | undefined {
  if (/^\d{1,5}d$/.test(text)) return now + Number.parseInt(text, 10) * dayMs;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` accepts 2027-02-30, as 2 March.
  const isValid = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isValid ? time : undefined;
}

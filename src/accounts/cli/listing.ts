import type { Account } from '../account.ts';
import type { Month } from '../month.ts';
import type { Usage } from '../store.ts';

/** Formats accounts as a table with one line each. */
export function formatAccounts(accounts: readonly Account[]): string {
  const rows = accounts.map(({ id, name, credits, origins, createdAt, revokedAt }) => [
    id,
    name,
    credits === null ? 'free' : String(credits),
    dayOf(createdAt),
    revokedAt === null ? 'active' : `revoked ${dayOf(revokedAt)}`,
    origins.join(' '),
  ]);
  return formatTable(['ID', 'NAME', 'CREDITS', 'CREATED', 'STATE', 'ORIGINS'], rows);
}

/**
 * Formats the credits used per month and account, newest month first. In the current month, active
 * accounts without usage are included.
 */
export function formatUsage(
  accounts: readonly Account[],
  usages: readonly Usage[],
  { month: currentMonth, freeCredits }: { readonly month: Month; readonly freeCredits: number },
): string {
  const unused = accounts
    .filter(
      ({ id, revokedAt }) =>
        revokedAt === null &&
        !usages.some(({ accountId, month }) => accountId === id && month === currentMonth),
    )
    .map(({ id }): Usage => ({ accountId: id, month: currentMonth, used: 0 }));
  const rows = [...unused, ...usages]
    .toSorted((a, b) => b.month.localeCompare(a.month))
    .map(({ accountId, month, used }) => {
      const account = accounts.find(({ id }) => id === accountId);
      return [
        month,
        accountId,
        account?.name ?? '',
        String(used),
        String(account?.credits ?? freeCredits),
      ];
    });
  return formatTable(['MONTH', 'ID', 'NAME', 'USED', 'LIMIT'], rows);
}

function formatTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows];
  const widths = headers.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const padCells = (line: readonly string[]) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return lines.map((line) => padCells(line).trimEnd()).join('\n');
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

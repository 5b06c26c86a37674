import { stateOf, type ListedAccount, type Month } from '../../accounts/account.ts';
import type { Usage } from '../../accounts/store.ts';
import { formatTable } from '../format-table.ts';

interface ListingContext {
  readonly now: number;
  readonly freeCredits: number;
}

/** Formats accounts as a table with one line each. */
export function formatAccounts(
  accounts: readonly ListedAccount[],
  { now, freeCredits }: ListingContext,
): string {
  const columns: Readonly<Record<string, (account: ListedAccount) => string>> = {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    LIMIT: ({ credits }) => (credits === null ? `${freeCredits} (free)` : String(credits)),
    CREATED: ({ createdAt }) => dayOf(createdAt),
    'LAST CHARGED': ({ lastChargedAt }) => (lastChargedAt === null ? '-' : minuteOf(lastChargedAt)),
    EXPIRES: ({ expiresAt }) => (expiresAt === null ? 'never' : minuteOf(expiresAt)),
    STATE: (account) =>
      stateOf(account, now) + (account.revokedAt === null ? '' : ` ${dayOf(account.revokedAt)}`),
    ROLE: ({ role }) => role ?? '',
    ORIGINS: ({ origins }) => origins.join(' '),
    DOCUMENTS: ({ documents }) => (documents === null ? '' : String(documents.length)),
  };
  const rows = accounts.map((account) => Object.values(columns).map((cell) => cell(account)));
  return formatTable(Object.keys(columns), rows);
}

/** Formats accounts as a JSON array. */
export function accountsToJson(
  accounts: readonly ListedAccount[],
  { now, freeCredits }: ListingContext,
): string {
  const rows = accounts.map((account) => ({
    id: account.id,
    name: account.name,
    credits: account.credits,
    limit: account.credits ?? freeCredits,
    createdAt: isoTime(account.createdAt),
    lastChargedAt: isoTime(account.lastChargedAt),
    expiresAt: isoTime(account.expiresAt),
    revokedAt: isoTime(account.revokedAt),
    state: stateOf(account, now),
    origins: account.origins,
    documents: account.documents && account.documents.map(({ ids, name }) => ({ name, ids })),
    role: account.role,
  }));
  return JSON.stringify(rows);
}

/** The credits that an account used in a month. */
interface UsageRow {
  readonly month: Month;
  readonly id: string;
  readonly name: string;
  readonly used: number;
  readonly limit: number;
}

/**
 * Returns the credits used per month and account, newest month first. In the current month, active
 * accounts without usage are included.
 */
export function usageByMonth(
  accounts: readonly ListedAccount[],
  usages: readonly Usage[],
  { month: currentMonth, freeCredits }: { readonly month: Month; readonly freeCredits: number },
): readonly UsageRow[] {
  const unused = accounts
    .filter(
      ({ id, revokedAt }) =>
        revokedAt === null &&
        !usages.some(({ accountId, month }) => accountId === id && month === currentMonth),
    )
    .map(({ id }): Usage => ({ accountId: id, month: currentMonth, used: 0 }));
  return [...unused, ...usages]
    .toSorted((a, b) => b.month.localeCompare(a.month))
    .map(({ accountId, month, used }) => {
      const account = accounts.find(({ id }) => id === accountId);
      const limit = account?.credits ?? freeCredits;
      return { month, id: accountId, name: account?.name ?? '', used, limit };
    });
}

/** Formats usage as a table. */
export function formatUsage(rows: readonly UsageRow[]): string {
  return formatTable(
    ['MONTH', 'ID', 'NAME', 'USED', 'LIMIT'],
    rows.map(({ month, id, name, used, limit }) => [month, id, name, String(used), String(limit)]),
  );
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns a time in UTC, such as `2026-11-23 08:45Z`. */
function minuteOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

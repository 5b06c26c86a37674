import { stateOf } from '../accounts/account.ts';
import { LedgerUnavailableError, type AccountStore } from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { Catalogue, ServerTrust } from '../domain/catalogue.ts';
import { isHealthy, isMeasured, type HostStatus } from '../domain/host-status.ts';
import { tldOf, toUnicodeName } from '../domain/domain-name.ts';
import { Problem } from '../domain/problems.ts';
import type { History } from '../metrics/history.ts';
import type { AnswerCounts, WatchNumbers } from '../metrics/instruments.ts';
import type { AuthenticatedHandler } from '../server/http-request-context.ts';
import { pageAsset, pageHeaders, pageTemplate, type Asset } from './assets.ts';
import { html, type Html } from './docs/html.ts';
import cures from './operator-cures.json' with { type: 'json' };
import { operatorPlots } from './operator-plots.ts';
import { siteHeader } from './site.ts';

/** What the page shows. */
export interface OperatorPageOptions {
  readonly queues: { hostStatuses(): Iterable<readonly [host: string, status: HostStatus]> };
  readonly trust: () => readonly ServerTrust[];
  readonly hostStatus: (endpoint: string) => HostStatus;
  readonly catalogue: Pick<Catalogue, 'list' | 'bootstrap'>;
  readonly answers: Pick<AnswerCounts, 'byTld'>;
  readonly history: Pick<History, 'perMinute'>;
  readonly network: { readonly isReachable: boolean };
  readonly accounts: Pick<AccountStore, 'topUsage'>;
  readonly watchNumbers: () => Promise<WatchNumbers>;
}

export const operatorPath = '/operator';

/** The page stays small and quick with 1,500 TLDs and 10,000 accounts. */
const maxRows = 100;
/** The share of credits or of a daily allowance from which an operator should act. */
const highShare = 0.9;

/** Returns the page for operators, which has no scripts, and its style sheet. */
export function operatorPage(
  options: OperatorPageOptions,
  { clock, graphiql }: { readonly clock: Clock; readonly graphiql: boolean },
): { page: AuthenticatedHandler; style: Asset } {
  const style = pageAsset('operator.css');
  const icon = pageAsset('icon.svg');
  const template = pageTemplate('operator.html', [icon, pageAsset('site.css'), style]);
  const header = siteHeader(undefined, { root: './', iconPath: icon.path, hasGraphiql: graphiql });
  const startedAt = timeOf(clock.now());
  const page: AuthenticatedHandler = async ({ payer, query }) => {
    if (payer?.role !== 'operator')
      throw new Problem(
        'forbidden_operation',
        'This page requires an API key of an account with the role operator.',
      );
    const now = clock.now();
    const { source, publishedAt } = options.catalogue.bootstrap();
    const find = query.get('find') ?? '';
    const problems: Problems = [];
    if (!options.network.isReachable) problems.push(['Network', 'Unreachable']);
    const registries = registryRows(
      options,
      find.trim().toLowerCase().replace(/^\./, ''),
      problems,
    );
    const parts: Readonly<Record<string, Html>> = {
      header,
      now: html`${timeOf(now)}`,
      startedAt: html`${startedAt}`,
      bootstrap: html`${source}, published ${publishedAt ?? 'at an unknown time'}`,
      find: html`<input name="find" value="${find}" type="search" />`,
      plots: operatorPlots(options.history),
      registries,
      unknown: unknownRows(options),
      watches: await watchRows(options, problems),
      ...(await accountParts(options, now, problems)),
      problems: problemRows(problems),
    };
    const body = template.replaceAll(/<!-- (\w+) -->/g, (_, name) => parts[name]?.html ?? '');
    const refresh = query.has('refresh') ? { refresh: '60' } : {};
    return { status: 200, headers: { ...headers, ...refresh }, body };
  };
  return { page, style };
}

// The first `form-action` counts (Content Security Policy 3, section 2.2.1).
const policy = ["default-src 'none'", "style-src 'self'", "img-src 'self'", "form-action 'self'"];
const headers = {
  ...pageHeaders(policy, 'no-store'),
  'x-robots-tag': 'noindex',
};

/** What needs attention, and why: a key of `cures`, perhaps with more behind it. */
type Problems = [where: string, what: string][];

function problemRows(problems: Problems): Html {
  const rows = problems.map(([where, what]) => {
    const [, cure = ''] = Object.entries(cures).find(([kind]) => what.startsWith(kind)) ?? [];
    return [where, alert(what), cure];
  });
  return html`${(rows.length > 0 ? rows : [['None', '', '']]).map(rowOf)}`;
}

/** Returns up to three suffixes, and how many others there are. */
function shortList(suffixes: readonly string[]): string {
  const others = suffixes.length > 3 ? ` and ${suffixes.length - 3} more` : '';
  return suffixes.slice(0, 3).map(toUnicodeName).join(', ') + others;
}

/**
 * Renders the hosts of registries, and of networks and AS numbers: those that were queried, and
 * those whose host or TLD `find` matches. Adds those that need attention to `problems`.
 */
function registryRows(options: OperatorPageOptions, find: string, problems: Problems): Html {
  const endpoints = options.catalogue
    .list()
    .filter(({ label }) => tldOf(label) !== 'test')
    .flatMap(({ label, sources }) =>
      sources.flatMap(({ endpoint }) => (endpoint ? { endpoint, label } : [])),
    );
  const byHost = Map.groupBy(endpoints, ({ endpoint }) => hostOf(endpoint));
  const trusts = Map.groupBy(options.trust(), ({ endpoint }) => hostOf(endpoint));
  const queried = new Map(options.queues.hostStatuses());
  const rows = Array.from(new Set([...queried.keys(), ...byHost.keys()]), (host) => {
    const served = byHost.get(host) ?? [];
    const suffixes = [...new Set(served.map(({ label }) => label))];
    const status = queried.get(host) ?? options.hostStatus(served[0]?.endpoint ?? '');
    const trust = trusts.get(host) ?? [];
    const alarm = alarmOf(status, trust);
    if (alarm !== undefined) problems.push([`${host} (${shortList(suffixes)})`, alarm]);
    const rank = alarm !== undefined ? 0 : isMeasured(status) ? 1 : 2;
    const cells = [
      host,
      alarm === undefined ? (rank === 1 ? 'Healthy' : 'Not queried') : alert(alarm),
      shortList(suffixes),
      status.rate === 0 ? 'none' : `${Number(status.rate.toFixed(2))}/s`,
      `${status.inFlight} of ${status.maxInFlight}`,
      status.queued,
      share(status.dailyAllowanceUsed),
      status.p50Ms === null ? '' : `${Math.round(status.p50Ms)} ms`,
      share(status.errorRate),
      trustText(trust),
    ];
    const isFound =
      find === '' ? rank < 2 : host.includes(find) || suffixes.some((each) => each === find);
    return { host, rank, isFound, cells };
  })
    .filter(({ isFound }) => isFound)
    .toSorted((a, b) => a.rank - b.rank || a.host.localeCompare(b.host));
  return html`${rows.map(({ cells }) => rowOf(cells))}`;
}

function hostOf(endpoint: string): string {
  return new URL(endpoint).host;
}

/** Returns why a registry needs attention; undefined if it does not. */
function alarmOf(status: HostStatus, trusts: readonly ServerTrust[]): string | undefined {
  const { circuitOpen, backoffUntil, dailyAllowanceUsed } = status;
  if (circuitOpen) return 'Circuit open';
  if (backoffUntil !== null) return `Back-off until ${timeOf(backoffUntil)}`;
  if (!isHealthy(status)) return 'Failing';
  if (trusts.some(({ trust }) => trust === 'failing')) return 'Not trusted';
  return (dailyAllowanceUsed ?? 0) >= highShare ? 'Allowance nearly used up' : undefined;
}

function trustText(trusts: readonly ServerTrust[]): Html {
  const { failing = [], ...others } = Object.groupBy(trusts, ({ trust }) => trust);
  const counts = Object.entries(others).map(([trust, { length }]) => `${length} ${trust}`);
  const ignored = failing.map(({ suffix }) => toUnicodeName(suffix)).join(', ');
  return html`${ignored && alert(`Ignored for ${ignored}. `)} ${counts.toSorted().join(', ')}`;
}

/** Renders how many answers had no verdict, of all and by TLD, most first. */
function unknownRows({ answers }: OperatorPageOptions): Html {
  const counts = Array.from(answers.byTld, ([tld, { verdict = 0, ...reasons }]) => {
    const mostFirst = Object.entries(reasons).toSorted(([, a], [, b]) => b - a);
    const unknown = mostFirst.reduce((sum, [, count]) => sum + count, 0);
    return { tld, unknown, total: unknown + verdict, reasons: mostFirst };
  });
  const incomplete = counts.filter(({ unknown }) => unknown > 0);
  const rows = incomplete.toSorted((a, b) => b.unknown - a.unknown).slice(0, maxRows + 1);
  return html`${rows.map(({ tld, unknown, total, reasons }) => {
    const texts = reasons.map(
      ([reason, count]) =>
        html`<a href="docs/errors#${reason}">${reason}</a> ${count} (${share(count / total)}) `,
    );
    return rowOf([toUnicodeName(tld), unknown, total, share(unknown / total), html`${texts}`]);
  })}`;
}

/** Renders what is watched on all nodes. */
async function watchRows({ watchNumbers }: OperatorPageOptions, problems: Problems): Promise<Html> {
  const numbers = await watchNumbers().catch(() => undefined);
  if (!numbers) problems.push(['Watches', 'Not readable']);
  if (!numbers) return rowOf([alert('They could not be read. Check the store.')]);
  const { watches, names, due, lagMs, changesOfLastDay, webhooks } = numbers;
  const { ok, failing, disabled } = webhooks;
  const stopped = failing + disabled;
  if (stopped > 0) problems.push([`${stopped} of ${ok + stopped} webhooks`, 'Webhooks stopped']);
  const cells = [watches, names, due, `${Math.round(lagMs / 1000)} s`, changesOfLastDay];
  return rowOf([...cells, ok + stopped, stopped > 0 ? alert(`${failing} and ${disabled}`) : 0]);
}

async function accountParts({ accounts }: OperatorPageOptions, now: number, problems: Problems) {
  try {
    const rows = await accounts.topUsage(maxRows);
    return {
      accountsShown: html`${rows.length} of ${rows[0]?.total ?? 0} are shown.`,
      accounts: html`${rows.map((account) =>
        rowOf([
          account.name,
          account.id,
          stateOf(account, now),
          account.used,
          account.limit,
          share(account.used / account.limit),
          account.lastChargedAt === null ? '' : timeOf(account.lastChargedAt),
          account.role ?? '',
        ]),
      )}`,
    };
  } catch (error) {
    if (!(error instanceof LedgerUnavailableError)) throw error;
    problems.push(['Accounts', 'Not readable']);
    return { accountsShown: alert('They could not be read. Check the store.') };
  }
}

function rowOf([head = '', ...cells]: readonly (Html | string | number)[]): Html {
  return html`<tr>
    <th scope="row">${head}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}

function alert(text: string): Html {
  return html`<strong>${text}</strong>`;
}

/** Returns a share, 0 to 1, in percent; empty if there is none. */
function share(value: number | null): Html | string {
  if (value === null || !Number.isFinite(value)) return '';
  const percent = `${Math.round(value * 100)} %`;
  return value >= highShare ? alert(percent) : percent;
}

/** Returns a time in UTC, such as `2026-11-23 08:45:07Z`. */
function timeOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

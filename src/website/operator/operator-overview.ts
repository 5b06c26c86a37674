import { LedgerUnavailableError } from '../../accounts/store.ts';
import type { Catalogue, ServerTrust } from '../../domain/catalogue.ts';
import { lookupProblemCodes } from '../../domain/problems.ts';
import { isHealthy, isMeasured, type HostStatus } from '../../domain/host-status.ts';
import { tldOf, toUnicodeName } from '../../domain/names/domain-name.ts';
import type { History } from '../../metrics/history.ts';
import type { AnswerCounts, WatchNumbers } from '../../metrics/instruments.ts';
import { html, type Html } from '../docs/html.ts';
import cures from './operator-cures.json' with { type: 'json' };
import { alert, highShare, pagePart, section, share, timeOf, type Cell } from './operator-html.ts';

/** What the page shows besides keys. */
export interface OverviewOptions {
  readonly queues: { hostStatuses(): Iterable<readonly [host: string, status: HostStatus]> };
  readonly trust: () => readonly ServerTrust[];
  readonly hostStatus: (endpoint: string) => HostStatus;
  readonly catalogue: Pick<Catalogue, 'list' | 'bootstrap'>;
  readonly answers: Pick<AnswerCounts, 'byTld'>;
  readonly history: Pick<History, 'perMinute'>;
  readonly network: { readonly isReachable: boolean };
  readonly watchNumbers: () => Promise<WatchNumbers>;
}

/** The page stays small and quick with 1,500 TLDs. */
const maxRows = 100;

const template = pagePart('operator/operator-overview.html');

/** Renders what operators should know. `renderAccounts`: may reject with `LedgerUnavailableError`. */
export async function operatorOverview(
  options: OverviewOptions,
  { find, account, ...times }: Readonly<Record<'find' | 'account' | 'now' | 'startedAt', string>>,
  renderAccounts: () => Promise<Html>,
): Promise<Html> {
  const { source, publishedAt } = options.catalogue.bootstrap();
  const problems: Problems = [];
  if (!options.network.isReachable) problems.push(['Network', 'Unreachable']);

  const registries = registryRows(options, find.trim().toLowerCase().replace(/^\./, ''), problems);
  const watches = await watchRow(options, problems);
  const accounts = await renderAccounts().catch((error: unknown) => {
    if (!(error instanceof LedgerUnavailableError)) throw error;
    problems.push(['Accounts', 'Not readable']);
    return section('accounts', [], alert('They could not be read. Check the store.'));
  });

  return template({
    ...times,
    find,
    account,
    bootstrap: `${source}, published ${publishedAt ?? 'at an unknown time'}`,
    problems: section('problems', problemRows(problems)),
    plots: operatorPlots(options.history),
    registries: section('registries', registries),
    unknown: section('unknown', unknownRows(options)),
    watches: section('watches', [watches]),
    accounts,
  });
}

/** What needs attention, and why: a key of `cures`, perhaps with more behind it. */
type Problems = [where: string, what: string][];

function problemRows(problems: Problems): readonly (readonly Cell[])[] {
  const rows = problems.map(([where, what]) => {
    const [, cure = ''] = Object.entries(cures).find(([kind]) => what.startsWith(kind)) ?? [];
    return [where, alert(what), cure];
  });
  return rows.length > 0 ? rows : [['None', '', '']];
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
function registryRows(
  options: OverviewOptions,
  find: string,
  problems: Problems,
): readonly (readonly Cell[])[] {
  const endpoints = options.catalogue
    .list()
    .filter(({ label }) => tldOf(label) !== 'test')
    .flatMap(({ label, sources }) =>
      sources.flatMap(({ endpoint }) => (endpoint ? { endpoint, label } : [])),
    );
  const byHost = Map.groupBy(endpoints, ({ endpoint }) => hostOf(endpoint));
  const trusts = Map.groupBy(options.trust(), ({ endpoint }) => hostOf(endpoint));
  const queried = new Map(options.queues.hostStatuses());

  return Array.from(new Set([...queried.keys(), ...byHost.keys()]), (host) => {
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
    .toSorted((a, b) => a.rank - b.rank || a.host.localeCompare(b.host))
    .map(({ cells }) => cells);
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
function unknownRows({ answers }: OverviewOptions): readonly (readonly Cell[])[] {
  const counts = Array.from(answers.byTld, ([tld, { verdict = 0, ...reasons }]) => {
    const mostFirst = Object.entries(reasons).toSorted(([, a], [, b]) => b - a);
    const unknown = mostFirst.reduce((sum, [, count]) => sum + count, 0);
    return { tld, unknown, total: unknown + verdict, reasons: mostFirst };
  });
  const incomplete = counts.filter(({ unknown }) => unknown > 0);
  const rows = incomplete.toSorted((a, b) => b.unknown - a.unknown).slice(0, maxRows + 1);

  return rows.map(({ tld, unknown, total, reasons }) => {
    const texts = reasons.map(
      ([reason, count]) =>
        html`<a href="docs/errors#${reason}">${reason}</a> ${count} (${share(count / total)}) `,
    );
    return [toUnicodeName(tld), unknown, total, share(unknown / total), html`${texts}`];
  });
}

/** Renders what is watched on all nodes. */
async function watchRow(
  { watchNumbers }: OverviewOptions,
  problems: Problems,
): Promise<readonly Cell[]> {
  const numbers = await watchNumbers().catch(() => undefined);
  if (!numbers) problems.push(['Watches', 'Not readable']);
  if (!numbers) return [alert('They could not be read. Check the store.')];

  const { watches, names, due, lagMs, changesOfLastDay, webhooks } = numbers;
  const { ok, failing, disabled } = webhooks;
  const faulty = failing + disabled;
  if (faulty > 0) problems.push([`${faulty} of ${ok + faulty} webhooks`, 'Webhooks failing']);

  const cells = [watches, names, due, `${Math.round(lagMs / 1000)} s`, changesOfLastDay];
  return [...cells, ok + faulty, faulty > 0 ? alert(`${failing} and ${disabled}`) : 0];
}

/** Draws the load, the latency, the credits and the unknown answers of the last two hours. */
function operatorPlots(history: Pick<History, 'perMinute'>): Html {
  const per = (name: string, of: string, factor = 1) => {
    const all = history.perMinute(of);
    return history.perMinute(name).map((value, at) => (factor * value) / (all[at] || 1));
  };

  const requests = history.perMinute('requests');
  const reasons = lookupProblemCodes.map((code) => ({ code, shares: per(code, 'answers', 100) }));

  return html`${[
    plot('Requests per minute', requests),
    plot('Mean response time, ms', per('ms', 'timed')),
    plot('Credits per minute', history.perMinute('credits')),
    ...reasons
      .filter(({ shares }) => shares.some((each) => each > 0))
      .map(({ code, shares }) => plot(`Unknown: ${code}, % of answers`, shares)),
  ]}`;
}

const [width, height] = [240, 48];

function plot(title: string, values: readonly number[]): Html {
  const most = Math.max(...values);
  const point = (value: number, at: number) =>
    `${(at * width) / (values.length - 1)},${height - (value / (most || 1)) * height}`;
  const [now, top] = [values.at(-1) ?? 0, most].map((value) => Math.round(value * 10) / 10);
  const text = `now ${now}, at most ${top}`;

  return html`<figure>
    <figcaption>${title}: ${text}</figcaption>
    <svg viewBox="0 -2 ${width} ${height + 4}" role="img" aria-label="${title}: ${text}">
      <polyline points="${values.map(point).join(' ')}" />
    </svg>
  </figure>`;
}

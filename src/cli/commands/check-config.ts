import { createApp, type App } from '../../app.ts';
import { systemClock, withTimeLimit } from '../../clock.ts';
import { ConfigError, type Config } from '../../config.ts';
import { createLog } from '../../log.ts';
import { printable } from '../../shared/printable.ts';
import { checkStores } from '../../storage/open.ts';
import { describeStore } from '../output/banner.ts';
import { printLine, type Output } from '../surroundings.ts';

/** A row of the table. */
interface Check {
  readonly name: string;
  readonly state: 'ok' | 'failed' | 'unused';
  readonly detail: string;
}

/** What the sources of lookups are called in the table, and a TLD with each, if it is covered. */
const sources = {
  rdap: ['RDAP', 'com'],
  dns: ['DNS (port 53)', 'com'],
  das: ['Availability service', 'eu'],
  whois: ['WHOIS (port 43)', 'it'],
} as const;

const timeLimitMs = 20_000;

/**
 * Prints a table of what works with these settings, without a change to the store. Resolves to the
 * exit code: 0 if all works, 1 if some lookups would fail, and 2 if the gateway would not start.
 */
export async function checkConfig(config: Config, stdout: Output): Promise<0 | 1 | 2> {
  const print = (check: Check) => printLine(stdout, lineOf(check));
  try {
    await checkStores(config.STORE_URL);
    print({ name: 'Store', state: 'ok', detail: describeStore(config.STORE_URL) });
    const checks = await checkNetwork(config);
    checks.forEach(print);
    return checks.some(({ state }) => state === 'failed') ? 1 : 0;
  } catch (error) {
    const name = error instanceof ConfigError ? 'Settings' : 'Store';
    const detail = error instanceof Error ? error.message : String(error);
    print({ name, state: 'failed', detail });
    return 2;
  }
}

function lineOf({ name, state, detail }: Check): string {
  return `${name.padEnd(22)}${state.padEnd(8)}${printable(detail.replaceAll(/\s+/g, ' '))}`;
}

/** Starts a gateway without the store, for this process alone, and looks names up. */
async function checkNetwork(config: Config): Promise<readonly Check[]> {
  const local = { HOST: '127.0.0.1', PORT: 0, AUTH: 'open', STORE_URL: 'memory:' } as const;
  const log = createLog('silent');
  await using app = await createApp({ ...config, ...local, BASE_URL: undefined }, { log });
  const limit = { clock: systemClock, ms: timeLimitMs };
  const bootstrap = await checkBootstrap(app, config);
  const checks = Object.keys(sources).map(async (source) => {
    const check = checkSource(app, source as keyof typeof sources);
    const late: Check = { ...named(source), state: 'failed', detail: 'no answer in time' };
    return (await withTimeLimit(check, limit)) ?? late;
  });

  return [bootstrap, ...(await Promise.all(checks))];
}

async function checkBootstrap(
  app: App,
  { OUTBOUND_PROXY: proxy, RDAP_BOOTSTRAP_URL: url }: Config,
): Promise<Check> {
  const { tlds, bootstrap, isNetworkReachable } = await app.coverage();
  const isMissing = isNetworkReachable === false;
  const through = proxy ? ` through the proxy ${proxy.host}` : '';
  const used = isMissing
    ? `${new URL(url).host} was not loaded${through}; ${bootstrap.source}`
    : `${bootstrap.source}${through}`;
  const detail = `${used}: ${tlds} TLDs can be looked up`;

  return { name: 'Bootstrap document', state: isMissing ? 'failed' : 'ok', detail };
}

const named = (source: string) => ({ name: sources[source as keyof typeof sources][0] });

/** Looks a registered name up, and reads what one source answered. */
async function checkSource(app: App, source: keyof typeof sources): Promise<Check> {
  const tld = await tldWith(app, source);
  if (tld === undefined) return { ...named(source), state: 'unused', detail: 'disabled' };

  const name = `nic.${tld}`;
  const confirm = source === 'dns' ? 'AVAILABLE' : 'ALL';
  const { domains } = await graphql<{ domains: readonly Row[] }>(app, lookUp, { name, confirm });
  const [row] = domains;
  const report = row?.evidence?.sources.find((each) => each.source === source);
  const isReached = report !== undefined && !/^registry_(?:error|timeout)$/.test(report.answer);
  const reason = report?.statement ?? row?.problem?.detail ?? 'no answer';

  return {
    ...named(source),
    state: isReached ? 'ok' : 'failed',
    detail: `${name}: ${isReached ? report.answer : reason}`,
  };
}

/** Returns a TLD that is looked up at a source, the usual one if possible. */
async function tldWith(app: App, source: keyof typeof sources): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${app.port}/v1/tlds?limit=2000`);
  const { tlds } = (await response.json()) as { readonly tlds: readonly TldRow[] };
  const labels = tlds
    .filter((row) => row.sources.some((each) => each.source === source))
    .map(({ tld }) => tld);
  return labels.find((label) => label === sources[source][1]) ?? labels[0];
}

interface TldRow {
  readonly tld: string;
  readonly sources: readonly { readonly source: string }[];
}

interface Row {
  readonly problem: { readonly detail: string } | null;
  readonly evidence: {
    readonly sources: readonly {
      readonly source: string;
      readonly answer: string;
      /** What the source said, or why it was not reached. */
      readonly statement: string | null;
    }[];
  } | null;
}

const lookUp = `query ($name: String!, $confirm: Confirm) { domains(domains: [$name], confirm: $confirm) {
  problem { detail } evidence { sources { source answer statement } } } }`;

async function graphql<T>({ port }: App, query: string, variables: object): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data?: T; errors?: unknown };
  if (!data || errors) throw new Error(`The check failed: ${JSON.stringify(errors)}`);

  return data;
}

import { styleText } from 'node:util';
import type { Coverage } from '../../app.ts';
import type { Config } from '../../config.ts';

export interface BannerOptions {
  readonly version: string;
  readonly nodeVersion: string;
  readonly config: Config;
  /** The address that clients use. */
  readonly url: string;
  readonly coverage: Coverage;
  /** Sentences about what the operator should change. */
  readonly warnings: readonly string[];
}

/** Returns the lines that a terminal shows when the gateway is ready. */
export function banner({
  version,
  nodeVersion,
  config,
  url,
  coverage,
  warnings,
}: BannerOptions): string {
  const title = styleText('bold', `RDAP Gateway ${version}`);
  const rows = [
    ['Search', `${url}/`],
    ['GraphiQL', config.GRAPHIQL ? `${url}/graphql` : 'disabled (GRAPHIQL=off)'],
    ['Docs', config.DOCS_URL ?? `${url}/docs`],
    ['Keys', keyPolicies[config.AUTH]],
    ['TLDs', describeTlds(coverage)],
    ['Network', describeNetwork(coverage, config)],
  ] as const;
  const lines = [
    ...rows.map(([name, text]) => `  ${styleText('dim', name.padEnd(9))} ${text}`),
    ...warnings.map((text) => `  ${styleText('yellow', 'Warning'.padEnd(9))} ${text}`),
  ];

  return [
    '',
    `${title} · Node.js ${nodeVersion} · ${describeStore(config.STORE_URL)}`,
    '',
    ...lines,
    '',
    styleText('dim', '  Press Ctrl-C to stop.'),
    '',
    '',
  ].join('\n');
}

const keyPolicies: Readonly<Record<Config['AUTH'], string>> = {
  auto: 'not needed from this machine, required from others (AUTH=auto)',
  required: 'always required (AUTH=required)',
  open: 'never required (AUTH=open)',
};

/** Returns the kind and the place of the store, without a user name or password. */
export function describeStore(storeUrl: string): string {
  if (storeUrl === 'memory:') return 'in memory, lost at exit';
  if (storeUrl.startsWith('sqlite:')) return `SQLite ${storeUrl.slice('sqlite:'.length)}`;
  const { host, pathname } = new URL(storeUrl);
  return `PostgreSQL ${host}${pathname}`;
}

function describeTlds({ tlds, bootstrap: { source, publishedAt } }: Coverage): string {
  const list = source === 'built-in' ? 'the built-in list' : source;
  const date = publishedAt === null ? '' : ` of ${publishedAt.slice(0, 10)}`;
  return `${tlds.toLocaleString('en')} can be looked up; RDAP servers from ${list}${date}`;
}

function describeNetwork({ isNetworkReachable }: Coverage, config: Config): string {
  if (isNetworkReachable === undefined)
    return config.RDAP_BOOTSTRAP_URL.startsWith('file:')
      ? 'not checked'
      : `no response from ${hostOf(config)} yet`;
  if (isNetworkReachable) return 'reachable';

  const hint = config.SANDBOX ? '; names under .test work without it' : '';
  return `${styleText('yellow', 'not reachable')}: no response from ${hostOf(config)}${hint}`;
}

function hostOf({ RDAP_BOOTSTRAP_URL }: Config): string {
  return new URL(RDAP_BOOTSTRAP_URL).host;
}

import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toUnicodeName } from '../domain/names/domain-name.ts';
import { tldSets, type TldSets } from '../domain/names/tld-sets.ts';
import { prices } from '../execution/charging/prices.ts';
import {
  compressedHandler,
  ownFilesOnly,
  pageAsset,
  pageFolder,
  pageHeaders,
  pageTemplate,
  type Asset,
} from './assets.ts';
import { escaped } from './docs/html.ts';
import { siteHeader } from './site.ts';

export interface SearchPageOptions {
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
  readonly sandbox: boolean;
  /** A link for registering a name, with `{domain}` in place of the name. */
  readonly registerUrl: string | undefined;
  /** Sets of TLDs, of which the page has the built-in ones itself. */
  readonly sets: TldSets;
  /** The address that clients use, which is known once the gateway listens. */
  readonly baseUrl: () => string;
}

/** Returns the search page, the files that it loads, and those that clients expect beside it. */
export function searchAssets(options: SearchPageOptions) {
  const icon = pageAsset('icon.svg');
  const files = pageFolder('search', [...preloaded, ...laterFiles]);
  const assets = [icon, pageAsset('site.css'), pageAsset('social-card.png'), ...files];
  const html = async () => pageHtml(assets, icon.path, options);

  return {
    page: compressedHandler(html, pageHeaders(ownFilesOnly, 'no-cache')),
    assets: [...assets, { path: '/favicon.ico', handler: icon.handler }, robotsFile],
  };
}

/** Crawlers may read the pages, but must not cause lookups. */
const robots = `User-agent: *
Disallow: /graphql
Disallow: /v1/
Disallow: /rdap/
Disallow: /*?
`;

const robotsFile: Asset = {
  path: '/robots.txt',
  handler: compressedHandler(async () => robots, { 'content-type': 'text/plain' }),
};

/** The page is ready without these, so they are not preloaded. */
const laterFiles = [
  'facts.js',
  'matrix.js',
  'networks.js',
  'object.js',
  'panel.js',
  '../picture.css',
  '../picture.js',
  'watch-list.js',
  '../../domain/text/not-names.js',
  '../../domain/text/plain-text.js',
  '../../domain/text/read-text.js',
  '../../domain/text/text-lines.js',
  '../../domain/text/text-names.js',
  '../../domain/text/text-table.js',
];

const preloaded = [
  'search.css',
  ...readdirSync(join(import.meta.dirname, 'search')).filter(
    (name) => name.endsWith('.js') && !laterFiles.includes(name),
  ),
  ...['grid', 'reading', 'verdicts'].map((name) => `../../client/${name}.js`),
  '../../domain/text/typed-text.js',
];

function pageHtml(
  assets: readonly Asset[],
  iconPath: string,
  { graphiql, sandbox, registerUrl, sets, baseUrl }: SearchPageOptions,
): string {
  const linked = pageTemplate('search/index.html', assets);
  const header = siteHeader('search', { root: './', iconPath, hasGraphiql: graphiql }).html;
  const data = [
    `data-credits-per-hundred="${prices.search(100)}"`,
    ...(sandbox ? ['data-sandbox'] : []),
    ...(registerUrl === undefined ? [] : [`data-register-url="${escaped(registerUrl)}"`]),
  ];

  return (
    (sandbox ? linked : linked.replace(sandboxOption, ''))
      .replace('<!-- header -->', () => header)
      .replace('<!-- own sets -->', () => ownSets(sets))
      // Previews need an absolute URL.
      .replace('"og:image" content="', () => `"og:image" content="${escaped(baseUrl())}/`)
      .replace('</head>', () => `${preloads(assets)}\n</head>`)
      .replace('<body>', () => `<body ${data.join(' ')}>`)
  );
}

/** Returns the choices of the sets that are not built in. */
function ownSets(sets: TldSets): string {
  return Object.entries(sets)
    .filter(([name]) => !Object.hasOwn(tldSets, name))
    .map(
      ([name, { reason, tlds }]) =>
        `<label><input type="radio" name="set" value="${escaped(name)}" data-tlds="${tlds.map(toUnicodeName).join(' ')}">${escaped(reason)}</label>`,
    )
    .join('');
}

const sandboxOption = /<label class="sandbox">.*?<\/label>/s;

/** Returns links that let the browser load all modules at once instead of one import after another. */
function preloads(assets: readonly Asset[]): string {
  return assets
    .filter(
      ({ path }) =>
        path.endsWith('.js') && !laterFiles.some((file) => basename(file) === basename(path)),
    )
    .map(({ path }) => `<link rel="modulepreload" href="${path.slice(1)}">`)
    .join('\n');
}

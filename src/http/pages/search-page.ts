import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pageAsset, pageFolder, pageHeaders } from './assets.ts';
import type { Handler, Reply } from '../call.ts';

/** The search page and the files it needs, all from this gateway. */
export function searchAssets(graphiql: boolean): {
  page: Handler;
  assets: readonly (readonly [path: string, handler: Handler])[];
} {
  const assets = [pageAsset('icon.svg'), ...pageFolder('search', files)];
  const html = pageHtml(assets.map(({ path }) => path));
  const reply: Reply = {
    status: 200,
    headers: pageHeaders(policy, 'no-cache'),
    body: graphiql ? html : html.replace(graphiqlLink, ''),
  };
  return { page: () => reply, assets: assets.map(({ path, handler }) => [path, handler]) };
}

const graphiqlLink = '<a href="graphql">GraphiQL</a> ';

const files = [
  'search.css',
  'search.js',
  'gateway.js',
  'grid.js',
  'notice.js',
  'record.js',
  'tlds.js',
  'words.js',
];

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
];

/** The page names its files as they stand beside it; here each gets its path, as seen from `/`, so that a proxy's path does no harm. */
function pageHtml(paths: readonly string[]): string {
  const html = readFileSync(join(import.meta.dirname, 'search', 'index.html'), 'utf8');
  return paths.reduce(
    (text, path) => text.replace(`="${basename(path)}"`, `="${path.slice(1)}"`),
    html,
  );
}

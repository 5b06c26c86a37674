import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pageAsset, pageFolder, pageHeaders } from './assets.ts';
import type { Handler, HttpResponse } from '../http-request-context.ts';

/** Returns the search page and the files that it loads, all served by this gateway. */
export function searchAssets(hasGraphiql: boolean): {
  page: Handler;
  assets: readonly (readonly [path: string, handler: Handler])[];
} {
  const assets = [pageAsset('icon.svg'), ...pageFolder('search', files)];
  const html = pageHtml(assets.map(({ path }) => path));
  const response: HttpResponse = {
    status: 200,
    headers: pageHeaders(policy, 'no-cache'),
    body: hasGraphiql ? html : html.replace(graphiqlLink, ''),
  };
  return { page: () => response, assets: assets.map(({ path, handler }) => [path, handler]) };
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
  'verdict-texts.js',
];

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
];

/**
 * Returns the page with its file names replaced by their paths. The paths are relative to `/`, so
 * that they also work behind a proxy with a path prefix.
 */
function pageHtml(paths: readonly string[]): string {
  const html = readFileSync(join(import.meta.dirname, 'search', 'index.html'), 'utf8');
  return paths.reduce(
    (text, path) => text.replace(`="${basename(path)}"`, `="${path.slice(1)}"`),
    html,
  );
}

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { JsonObject } from '../../domain/registration.ts';
import { onceFulfilled } from '../../shared/memoize.ts';
import { csvContentType } from '../../shared/csv.ts';
import {
  ownFilesOnly,
  pageAsset,
  pageFolder,
  pageHeaders,
  type Asset,
  compressedHandler,
} from '../assets.ts';
import { pictureStyle } from '../render-picture.ts';
import type { Handler } from '../../server/http-request-context.ts';
import { joinVary } from '../../server/messages/api-paths.ts';
import mergedPages from './merged-pages.json' with { type: 'json' };
import {
  markdownOf,
  markdownPath,
  pagePath,
  readGuides,
  schemaPath,
  withAddresses,
  type Guide,
} from './guides.ts';

export interface DocsOptions {
  /** The OpenAPI document as it is printed, for a gateway at its default address. */
  readonly openapi: () => Promise<JsonObject>;
  /** The addresses that clients use; both are known once the gateway listens. */
  readonly baseUrl: () => string;
  readonly docsUrl: () => string;
  /** The covered TLDs with the health of their servers, as CSV. */
  readonly tldsCsv: () => string;
  readonly graphiql: boolean;
  readonly allowIntrospection: boolean;
}

type DocsRoute = readonly [path: string, handler: Handler];

/**
 * Reads the guides, and returns the handlers of the documentation, its files, the OpenAPI document
 * and the GraphQL schema, by path. Throws if a guide cannot be read.
 */
export function docsHandlers(options: DocsOptions): readonly DocsRoute[] {
  const { graphiql, allowIntrospection: hasSchema } = options;
  const guides = readGuides();
  const addresses = () => ({ baseUrl: options.baseUrl(), docsUrl: options.docsUrl() });
  const document = onceFulfilled(async () =>
    withAddresses(JSON.stringify(await options.openapi()), addresses()),
  );
  const { files, assets } = docsFiles();

  // Rendering every page at startup would take 200 ms, and the addresses are not known before the
  // gateway listens.
  const rendered = async () => ({
    ...(await import('./pages.ts')),
    subject: { ...addresses(), guides, files, graphiql, hasSchema },
  });

  const page = async (guide: Guide) => {
    const { renderPage, subject } = await rendered();
    return renderPage(guide, subject);
  };

  const reference = async (guide: Guide) => {
    const { renderPage, referenceContent, subject } = await rendered();
    const styles = [...files.styles, ...pathsOf(referenceStyles)];
    const scripts = pathsOf(referenceScripts);
    const content = referenceContent(await options.openapi());
    return renderPage(guide, { ...subject, files: { ...files, styles, scripts } }, content);
  };

  const llmsText = async () => {
    const { renderLlmsText } = await import('./llms-text.ts');
    return withAddresses(renderLlmsText(guides, hasSchema), addresses());
  };

  const index = async () => {
    const { renderSearchIndex, subject } = await rendered();
    return renderSearchIndex(subject);
  };

  return [
    ...guides.flatMap((guide): readonly DocsRoute[] => {
      const { name } = guide;
      const text = served('text/markdown; charset=utf-8', async () =>
        withAddresses(markdownOf(guide, hasSchema), addresses()),
      );
      const html =
        name === 'reference'
          ? served(htmlType, () => reference(guide), referencePolicy)
          : served(htmlType, () => page(guide));

      return [
        [pagePath(name), negotiated(html, text)],
        [markdownPath(name), text],
      ];
    }),
    ...Object.entries(mergedPages).flatMap(([name, target]): readonly DocsRoute[] => [
      [pagePath(name), moved(target)],
      [markdownPath(name), moved(`${target}.md`)],
    ]),
    ...diagrams.map((file): DocsRoute => [`/docs/${basename(file)}`, diagram(file)]),
    ['/llms.txt', served('text/plain; charset=utf-8', llmsText)],
    ['/docs/tlds.csv', renewed(() => served(csvContentType, async () => options.tldsCsv()))],
    ['/docs/search.json', served('application/json; charset=utf-8', index)],
    ['/openapi.json', served('application/json; charset=utf-8', document)],
    ...(hasSchema ? [schemaRoute] : []),
    ...[...assets, ...referenceStyles, ...referenceScripts].map(({ path, handler }): DocsRoute => [
      path,
      handler,
    ]),
  ];
}

/**
 * Redirects a page to the one that has its text. The headings are the same, and browsers keep the
 * fragment (RFC 9110 section 10.2.2), so that links to sections work.
 */
function moved(location: string): Handler {
  return () => ({ status: 308, headers: { location, 'cache-control': 'public, max-age=300' } });
}

const diagrams = ['verdict.svg', 'architecture.svg', 'cluster.svg', 'reference/processor-time.svg'];

function diagram(file: string): Handler {
  const read = () => readFile(new URL(`../../../docs/${file}`, import.meta.url));
  const headers = { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=300' };
  return compressedHandler(read, headers);
}

const referenceStyles = [pageAsset('docs/client/reference.css')];
const referenceScripts = [
  pageAsset('vendor/scalar/scalar.js'),
  pageAsset('docs/client/reference.js'),
];

/** Lets Scalar insert style elements, which cannot load anything from elsewhere, nor run scripts. */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
];

const htmlType = 'text/html; charset=utf-8';

/** Makes a handler again after a minute, because the health of registries changes. */
function renewed(make: () => Handler): Handler {
  const cache = new LRUCache<'handler', Handler>({ max: 1, ttl: 60_000, memoMethod: make });
  return (http) => cache.memo('handler')(http);
}

const schemaFile = new URL('../../../schema/schema.graphql', import.meta.url);

const schemaRoute: DocsRoute = [
  schemaPath,
  served('application/graphql; charset=utf-8', () => readFile(schemaFile)),
];

function pathsOf(assets: readonly Asset[]): readonly string[] {
  return assets.map(({ path }) => path);
}

function docsFiles() {
  const icon = pageAsset('icon.svg');
  const styles = [pageAsset('site.css'), pageAsset('docs/client/docs.css'), pictureStyle];
  const modules = pageFolder('docs/client', [
    'docs.js',
    'moved.js',
    'search.js',
    'search-terms.js',
    'tlds.js',
    '../../vendor/minisearch/minisearch.js',
  ]);
  const paths = {
    icon: icon.path,
    styles: pathsOf(styles),
    modules: pathsOf(modules.slice(0, 1)),
  };

  return { files: paths, assets: [icon, ...styles, ...modules] };
}

/** Serves a page as Markdown to clients that prefer it to HTML, such as agents. */
function negotiated(html: Handler, markdown: Handler): Handler {
  return async (http) => {
    const preferred = new Negotiator(http.request).mediaType(['text/html', 'text/markdown']);
    const response = await (preferred === 'text/markdown' ? markdown : html)(http);
    const vary = joinVary('Accept', response.headers['vary']) ?? 'Accept';
    return { ...response, headers: { ...response.headers, vary } };
  };
}

/** Serves a body that is made at the first request and then cached. */
function served(
  contentType: string,
  make: () => Promise<string | Uint8Array>,
  policy = ownFilesOnly,
): Handler {
  return compressedHandler(make, {
    ...pageHeaders(policy, 'public, max-age=300'),
    'content-type': contentType,
  });
}

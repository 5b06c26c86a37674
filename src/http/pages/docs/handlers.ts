import { readFile } from 'node:fs/promises';
import Negotiator from 'negotiator';
import type { JsonObject } from '../../../domain/registration.ts';
import { onceFulfilled } from '../../../shared/memoize.ts';
import { ownFilesOnly, pageAsset, pageFolder, pageHeaders } from '../assets.ts';
import { compressedHandler } from '../compressed.ts';
import type { Handler } from '../../http-request-context.ts';
import { joinVary } from '../../messages/vary.ts';
import {
  markdownOf,
  markdownPath,
  pagePath,
  readGuides,
  schemaPath,
  withAddresses,
  type Guide,
} from './guides.ts';
import { referencePage } from './reference-page.ts';

export interface DocsOptions {
  /** The OpenAPI document as it is printed, for a gateway at its default address. */
  readonly openapi: () => Promise<JsonObject>;
  /** The addresses that clients use; both are known once the gateway listens. */
  readonly baseUrl: () => string;
  readonly docsUrl: () => string;
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
  /** Whether clients may query the schema. */
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
  const reference = referencePage(graphiql, descriptionOf('reference', guides));
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
          ? reference.page
          : served('text/html; charset=utf-8', () => page(guide));
      return [
        [pagePath(name), negotiated(html, text)],
        [markdownPath(name), text],
      ];
    }),
    ['/llms.txt', served('text/plain; charset=utf-8', llmsText)],
    ['/docs/search.json', served('application/json; charset=utf-8', index)],
    ['/openapi.json', served('application/json; charset=utf-8', document)],
    ...(hasSchema ? [schemaRoute] : []),
    ...[...assets, ...reference.assets].map(({ path, handler }): DocsRoute => [path, handler]),
  ];
}

function descriptionOf(name: string, guides: readonly Guide[]): string {
  return guides.find((guide) => guide.name === name)?.description ?? '';
}

const schemaFile = new URL('../../../../schema/schema.graphql', import.meta.url);

const schemaRoute: DocsRoute = [
  schemaPath,
  served('application/graphql; charset=utf-8', () => readFile(schemaFile)),
];

/** Returns the files that the pages load. */
function docsFiles() {
  const icon = pageAsset('icon.svg');
  const styles = [pageAsset('site.css'), pageAsset('docs/client/docs.css')];
  const modules = pageFolder('docs/client', ['docs.js', 'moved.js', 'search.js']);
  const paths = {
    icon: icon.path,
    styles: styles.map(({ path }) => path),
    modules: modules.slice(0, 1).map(({ path }) => path),
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
function served(contentType: string, make: () => Promise<string | Uint8Array>): Handler {
  return compressedHandler(make, {
    ...pageHeaders(ownFilesOnly, 'public, max-age=300'),
    'content-type': contentType,
  });
}

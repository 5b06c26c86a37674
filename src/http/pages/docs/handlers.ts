import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../domain/registration.ts';
import { onceFulfilled } from '../../../memoize.ts';
import { pageAsset, pageHeaders } from '../assets.ts';
import type { Handler } from '../../http-request-context.ts';
import { readGuides, withAddresses } from './guides.ts';
import { references } from './layout.ts';

export interface DocsOptions {
  /** The OpenAPI document as it is printed, for a gateway at its default address. */
  readonly openapi: () => Promise<JsonObject>;
  /** The addresses that clients use; both are known once the gateway listens. */
  readonly baseUrl: () => string;
  readonly docsUrl: () => string;
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
}

type DocsRoute = readonly [path: string, handler: Handler];

/**
 * Reads the guides, and returns the handlers of the documentation, its style sheet and the OpenAPI
 * document, by path. Throws if a guide cannot be read.
 */
export function docsHandlers(options: DocsOptions): readonly DocsRoute[] {
  const guides = readGuides();
  const addresses = () => ({ baseUrl: options.baseUrl(), docsUrl: options.docsUrl() });
  const document = onceFulfilled(async () =>
    withAddresses(JSON.stringify(await options.openapi()), addresses()),
  );
  const { graphiql } = options;
  const iconPath = pageAsset('icon.svg').path;
  const page = async (name: string) => {
    const { renderPage } = await import('./pages.ts');
    const subject = { ...addresses(), document: await document(), guides, graphiql, iconPath };
    return renderPage(name, subject);
  };
  return [
    ...[...references, ...guides].map(({ name }): DocsRoute => [
      `/docs${name && '/'}${name}`,
      served('text/html; charset=utf-8', () => page(name)),
    ]),
    [
      '/docs/style.css',
      served('text/css; charset=utf-8', () => readFile(new URL('style.css', import.meta.url))),
    ],
    ['/openapi.json', served('application/json; charset=utf-8', document)],
  ];
}

/**
 * Serves a body that is made at the first request and then cached. Rendering every page at startup
 * would take 120 ms, and the addresses are not known before the gateway listens.
 */
function served(contentType: string, make: () => Promise<string | Uint8Array>): Handler {
  const body = onceFulfilled(make);
  return async () => ({
    status: 200,
    headers: { ...headers, 'content-type': contentType },
    body: await body(),
  });
}

const headers = pageHeaders(
  ["default-src 'none'", "style-src 'self'", "img-src 'self'"],
  'public, max-age=300',
);

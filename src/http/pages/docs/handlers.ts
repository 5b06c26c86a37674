import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../domain/registration.ts';
import { onceFulfilled } from '../../../memoize.ts';
import { pageAsset, pageHeaders } from '../assets.ts';
import type { Handler } from '../../http-request-context.ts';

import type { Page } from './layout.ts';

export interface DocsOptions {
  /** The OpenAPI document as it is printed, for a gateway at its default address. */
  readonly openapi: () => Promise<JsonObject>;
  /** The address that callers use. It and `docsUrl` are known once the gateway listens. */
  readonly baseUrl: () => string;
  readonly docsUrl: () => string;
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
}

/** The pages for people, their style sheet, and the OpenAPI document that they are made from, each at its path. */
export function docsHandlers({
  openapi,
  baseUrl,
  docsUrl,
  graphiql,
}: DocsOptions): readonly (readonly [path: string, handler: Handler])[] {
  const icon = pageAsset('icon.svg').path;
  const document = async () => atHome(JSON.stringify(await openapi()), baseUrl(), docsUrl());
  const page = (name: Page['name']) =>
    served('text/html; charset=utf-8', async () => {
      const { pageNamed } = await import('./pages.ts');
      return pageNamed(
        name,
        { document: await document(), baseUrl: baseUrl(), docsUrl: docsUrl(), graphiql },
        icon,
      );
    });
  return [
    ['/docs', page('')],
    ['/docs/versioning', page('versioning')],
    ['/docs/errors', page('errors')],
    ['/docs/changelog', page('changelog')],
    ['/docs/operations', page('operations')],
    ['/docs/reliability', page('reliability')],
    [
      '/docs/style.css',
      served('text/css; charset=utf-8', () => readFile(new URL('style.css', import.meta.url))),
    ],
    ['/openapi.json', served('application/json; charset=utf-8', document)],
  ];
}

const printedBase = 'http://127.0.0.1:4000';

/** The document with the addresses of this gateway in it. */
function atHome(document: string, baseUrl: string, docsUrl: string): string {
  return document
    .replaceAll(`${printedBase}/docs`, () => docsUrl)
    .replaceAll(printedBase, () => baseUrl);
}

/** Made when it is first asked for, as few processes are asked and addresses are not known before; then it stays. */
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

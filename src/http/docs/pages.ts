import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../domain/registration.ts';
import { pageAsset } from '../assets.ts';
import type { Handler } from '../call.ts';
import { pageHeaders } from '../page-headers.ts';
import { changelogPage } from './changelog.ts';
import { readDescription } from './description.ts';
import { errorsPage } from './errors.ts';
import { laidOut, type Page } from './layout.ts';
import { operationsPage } from './operations.ts';
import { referencePage } from './reference.ts';
import { reliabilityPage } from './reliability.ts';
import { versioningPage } from './versioning.ts';

export interface DocsOptions {
  /** The OpenAPI document as it is printed, for a gateway at its default address. */
  readonly openapi: () => JsonObject;
  /** The address that callers use. It and `docsUrl` are known once the gateway listens. */
  readonly baseUrl: () => string;
  readonly docsUrl: () => string;
}

/** The pages for people, their style sheet, and the OpenAPI document that they are made from, each at its path. */
export function docsHandlers({ openapi, baseUrl, docsUrl }: DocsOptions): readonly (readonly [path: string, handler: Handler])[] {
  const icon = pageAsset('icon.svg').path;
  const styles = readFileSync(new URL('style.css', import.meta.url));
  const document = () => atHome(JSON.stringify(openapi()), baseUrl(), docsUrl());
  const page = (make: () => Page) => served('text/html; charset=utf-8', () => laidOut(make(), icon));
  return [
    ['/docs', page(() => referencePage(readDescription(JSON.parse(document())), baseUrl()))],
    ['/docs/versioning', page(() => versioningPage(docsUrl()))],
    ['/docs/errors', page(errorsPage)],
    ['/docs/changelog', page(changelogPage)],
    ['/docs/operations', page(operationsPage)],
    ['/docs/reliability', page(reliabilityPage)],
    ['/docs/style.css', served('text/css; charset=utf-8', () => styles)],
    ['/openapi.json', served('application/json; charset=utf-8', document)],
  ];
}

const printedBase = 'http://127.0.0.1:4000';

/** The document with the addresses of this gateway in it. */
function atHome(document: string, baseUrl: string, docsUrl: string): string {
  return document.replaceAll(`${printedBase}/docs`, () => docsUrl).replaceAll(printedBase, () => baseUrl);
}

/** Made when it is first asked for, as addresses are not known before; then it stays. */
function served(contentType: string, make: () => string | Uint8Array): Handler {
  let body: string | Uint8Array | undefined;
  return () => ({ status: 200, headers: { ...headers, 'content-type': contentType }, body: (body ??= make()) });
}

const headers = pageHeaders(["default-src 'none'", "style-src 'self'", "img-src 'self'"], 'public, max-age=300');

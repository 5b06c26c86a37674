import type { JsonObject } from '../../../domain/registration.ts';
import { pageAsset } from '../assets.ts';
import { html } from './html.ts';
import type { Content, Section } from './render.ts';

export const referenceStyles = [pageAsset('docs/client/reference.css')];
export const referenceScripts = [
  pageAsset('vendor/scalar/scalar.js'),
  pageAsset('docs/client/reference.js'),
];

/** Returns the content of the page on which Scalar shows the OpenAPI document and sends requests. */
export function referenceContent(openapi: JsonObject): Content {
  const body = html`<div id="reference"></div>
    <noscript>
      The reference needs JavaScript. <a href="../openapi.json">openapi.json</a> contains the same
      information.
    </noscript>`;
  const operations = Object.entries(openapi['paths'] ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as JsonObject).map(([method, operation]): Section => {
      const [tag = ''] = (operation as { readonly tags?: readonly string[] }).tags ?? [];
      // The anchors are those of Scalar.
      const id = `tag/${tag.toLowerCase()}/${method.toUpperCase()}${path}`;
      return { id, title: html`${path}` };
    }),
  );
  return { body, sections: operations };
}

/** Lets Scalar insert style elements, which cannot load anything from elsewhere, nor run scripts. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
];

import type { Handler } from '../../http-request-context.ts';
import { pageAsset, pageHeaders, type Asset } from '../assets.ts';
import { compressedHandler } from '../compressed.ts';
import { renderHead } from '../head.ts';
import { siteHeader } from '../site.ts';
import { html, trusted } from './html.ts';

/** Returns the page on which Scalar shows the OpenAPI document and sends requests, and its files. */
export function referencePage(
  hasGraphiql: boolean,
  description: string,
): {
  page: Handler;
  assets: readonly Asset[];
} {
  const icon = pageAsset('icon.svg');
  const styles = [pageAsset('site.css'), pageAsset('docs/client/reference.css')];
  const scripts = [pageAsset('vendor/scalar/scalar.js'), pageAsset('docs/client/reference.js')];
  const head = renderHead({
    title: 'REST reference',
    description,
    markdown: '../docs/reference.md',
    icon: relative(icon),
    styles: styles.map(relative),
    scripts: scripts.map(relative),
  });
  const header = siteHeader('docs', { root: '../', iconPath: icon.path, hasGraphiql });
  const { html: page } = html`<!doctype html>
    <html lang="en">
      ${head}
      <body>
        ${trusted(header)}
        <article id="reference"></article>
        <noscript>
          The reference needs JavaScript. <a href="../openapi.json">openapi.json</a> contains the
          same information.
        </noscript>
      </body>
    </html>`;
  return {
    page: compressedHandler(async () => page, pageHeaders(policy, 'public, max-age=300')),
    assets: [icon, ...styles, ...scripts],
  };
}

/** Returns a path relative to the page. */
function relative({ path }: Asset): string {
  return `..${path}`;
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Scalar inserts style elements. They cannot load anything from elsewhere, nor run scripts.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
];

import type { HttpRequestContext, HttpResponse } from '../server/http-request-context.ts';
import { pageAsset, pageHeaders } from './assets.ts';
import { html } from './docs/html.ts';
import { renderHead, siteHeader } from './site.ts';

/** Returns a function that renders the page which browsers get for a path that does not exist. */
export function createNotFoundPage(
  hasGraphiql: boolean,
): (request: HttpRequestContext) => HttpResponse {
  const icon = pageAsset('icon.svg').path;
  const styles = [pageAsset('site.css').path, pageAsset('docs/client/docs.css').path];
  return ({ path }) => {
    // Relative links also work if a proxy serves the gateway under a path prefix.
    const root = './' + '../'.repeat(path.split('/').length - 2);
    const head = renderHead({
      title: 'Page not found',
      description: 'This page does not exist.',
      icon: root + icon.slice(1),
      styles: styles.map((style) => root + style.slice(1)),
    });
    const header = siteHeader(undefined, { root, iconPath: icon, hasGraphiql });
    const { html: body } = html`<!doctype html>
      <html lang="en">
        ${head}
        <body>
          ${header}
          <main class="plain-page">
            <h1>Page not found</h1>
            <p class="lead">There is no page at this address.</p>
            <p>
              <a href="${root}">Search for a domain name</a>, or read the
              <a href="${root}docs">documentation</a>.
            </p>
          </main>
        </body>
      </html>`;
    return { status: 404, headers, body, code: 'not_found' };
  };
}

/** Returns whether a request comes from a browser that opens a page, not from an API client. */
export function acceptsPage({ path, request }: HttpRequestContext): boolean {
  return !path.startsWith('/v1/') && request.headers.accept?.includes('text/html') === true;
}

const headers = {
  ...pageHeaders(["default-src 'none'", "style-src 'self'", "img-src 'self'"], 'no-store'),
  vary: 'Accept',
};

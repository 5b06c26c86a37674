import type { HttpRequestContext, HttpResponse } from '../server/http-request-context.ts';
import { html } from './docs/html.ts';
import { plainPageHeaders, renderPlainPage } from './plain-page.ts';

/** Returns a function that renders the page which browsers get for a path that does not exist. */
export function createNotFoundPage(
  hasGraphiql: boolean,
): (request: HttpRequestContext) => HttpResponse {
  return ({ path }) => {
    // Relative links also work if a proxy serves the gateway under a path prefix.
    const root = './' + '../'.repeat(path.split('/').length - 2);
    const body = renderPlainPage({
      title: 'Page not found',
      description: 'This page does not exist.',
      root,
      hasGraphiql,
      lead: 'There is no page at this address.',
      content: html`<p>
        <a href="${root}">Search for a domain name</a>, or read the
        <a href="${root}docs">documentation</a>.
      </p>`,
    });

    return { status: 404, headers, body, code: 'not_found' };
  };
}

/** Returns whether a request comes from a browser that opens a page, not from an API client. */
export function acceptsPage({ path, request }: HttpRequestContext): boolean {
  return !path.startsWith('/v1/') && request.headers.accept?.includes('text/html') === true;
}

const headers = { ...plainPageHeaders, vary: 'Accept' };

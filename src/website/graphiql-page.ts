import { pageAsset, pageHeaders } from './assets.ts';
import { html } from './docs/html.ts';
import { renderHead, siteHeader } from './site.ts';
import type { HttpRequestContext, HttpResponse } from '../server/http-request-context.ts';

/** Returns the GraphiQL page and the files that it loads, all served by this gateway. */
export function graphiqlAssets() {
  const icon = pageAsset('icon.svg');
  const styles = [
    pageAsset('site.css'),
    pageAsset('vendor/graphiql/graphiql.min.css'),
    pageAsset('graphiql.css'),
  ];

  // The order matters: each script uses globals of the earlier ones.
  const scripts = [
    pageAsset('vendor/react/react.production.min.js'),
    pageAsset('vendor/react-dom/react-dom.production.min.js'),
    pageAsset('vendor/graphiql/graphiql.min.js'),
    pageAsset('graphiql-examples.js'),
    pageAsset('graphiql.js'),
  ];
  const response: HttpResponse = {
    status: 200,
    headers: { ...pageHeaders(policy, 'no-cache'), vary: 'Accept' },
    body: pageHtml(
      icon.path,
      styles.map(({ path }) => relative(path)),
      scripts.map(({ path }) => relative(path)),
    ),
  };

  return { page: () => response, assets: [icon, ...styles, ...scripts] };
}

/** Returns whether a request comes from a browser that opens the page, not from an API client. */
export function wantsPage({ request }: HttpRequestContext): boolean {
  return request.headers.accept?.includes('text/html') === true;
}

const policy = [
  "default-src 'self'",
  "font-src 'self' data:", // GraphiQL's stylesheet embeds its fonts
  "object-src 'none'",
];

/** Returns a path relative to `/graphql`, which also works behind a proxy with a path prefix. */
function relative(path: string): string {
  return path.slice(1);
}

function pageHtml(iconPath: string, styles: readonly string[], scripts: readonly string[]): string {
  const head = renderHead({
    title: 'GraphiQL',
    description: 'Explore and try the GraphQL API of RDAP Gateway in the browser.',
    icon: relative(iconPath),
    styles,
    scripts,
  });
  const header = siteHeader('graphiql', { root: './', iconPath, hasGraphiql: true });

  return html`<!doctype html>
    <html lang="en">
      ${head}
      <body>
        ${header}
        <main>
          <h1>GraphiQL</h1>
          <div id="graphiql">
            <noscript>GraphiQL needs JavaScript; the API at this URL does not.</noscript>
          </div>
        </main>
      </body>
    </html>`.html;
}

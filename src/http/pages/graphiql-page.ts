import { pageAsset, pageHeaders } from './assets.ts';
import type { HttpRequestContext, Handler, HttpResponse } from '../http-request-context.ts';

/** Returns the GraphiQL page and the files that it loads, all served by this gateway. */
export function graphiqlAssets(): {
  page: Handler;
  assets: readonly (readonly [path: string, handler: Handler])[];
} {
  const icon = pageAsset('icon.svg');
  const styles = [pageAsset('vendor/graphiql/graphiql.min.css'), pageAsset('graphiql.css')];
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
      relative(icon.path),
      styles.map(({ path }) => relative(path)),
      scripts.map(({ path }) => relative(path)),
    ),
  };
  return {
    page: () => response,
    assets: [icon, ...styles, ...scripts].map(({ path, handler }) => [path, handler]),
  };
}

/** Returns whether a request comes from a browser that opens the page, not from an API client. */
export function wantsPage({ request, query }: HttpRequestContext): boolean {
  return !query.has('query') && request.headers.accept?.includes('text/html') === true;
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

function pageHtml(icon: string, styles: readonly string[], scripts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>GraphiQL · RDAP Gateway</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')}
${scripts.map((src) => `<script defer src="${src}"></script>`).join('\n')}
</head>
<body>
<div id="graphiql"><noscript>GraphiQL needs JavaScript; the API at this URL does not.</noscript></div>
</body>
</html>
`;
}

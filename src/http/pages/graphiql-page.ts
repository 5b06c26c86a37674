import { pageAsset, pageHeaders } from './assets.ts';
import type { HttpRequestContext, Handler, HttpResponse } from '../http-request-context.ts';

/** The GraphiQL page and the files it needs, all from this gateway. */
export function graphiqlAssets(): {
  page: Handler;
  assets: readonly (readonly [path: string, handler: Handler])[];
} {
  const icon = pageAsset('icon.svg');
  const styles = [pageAsset('vendor/graphiql/graphiql.min.css'), pageAsset('graphiql.css')];
  // In this order: each finds what it builds on as a global.
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

/** A person with a browser, not a program. */
export function wantsPage({ request, query }: HttpRequestContext): boolean {
  return !query.has('query') && request.headers.accept?.includes('text/html') === true;
}

const policy = [
  "default-src 'self'",
  "font-src 'self' data:", // GraphiQL's stylesheet carries its fonts
  "object-src 'none'",
];

/** As seen from `/graphql`, so that a gateway behind a path of a proxy finds its files too. */
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
<div id="graphiql"><noscript>GraphiQL needs JavaScript. Programs may ask this address without it.</noscript></div>
</body>
</html>
`;
}

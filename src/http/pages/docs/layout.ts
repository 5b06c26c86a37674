import { html, type Html } from './html.ts';

export interface Page {
  /** Below `/docs`; empty for the first page. */
  readonly name: '' | 'versioning' | 'errors' | 'changelog' | 'operations' | 'reliability';
  readonly title: string;
  readonly body: Html;
}

const titles: readonly (readonly [Page['name'], string])[] = [
  ['', 'Reference'],
  ['versioning', 'Versioning'],
  ['errors', 'Errors'],
  ['changelog', 'Changelog'],
  ['operations', 'Operations'],
  ['reliability', 'Reliability'],
];

/** Renders a whole page. Links are relative, so that they work behind a proxy that serves the gateway below a path of its own. */
export function renderLayout(
  { name, title, body }: Page,
  iconPath: string,
  graphiql: boolean,
): string {
  const root = name === '' ? '' : '../';
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · domain gateway</title>
        <link rel="icon" href="${root}${iconPath.slice(1)}" type="image/svg+xml" />
        <link rel="stylesheet" href="${root}docs/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <p class="name"><a href="${root || './'}">Domain gateway</a></p>
          ${navigation(name, root, graphiql)}
        </header>
        <main id="content">
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.html;
}

function navigation(current: Page['name'], root: string, graphiql: boolean): Html {
  const link = ([name, title]: readonly [string, string]) => {
    const href = `${root}docs${name && '/'}${name}`;
    return html`<li>
      <a href="${href}" ${name === current ? html` aria-current="page"` : ''}>${title}</a>
    </li>`;
  };
  return html`<nav aria-label="Pages">
    <ul>
      ${titles.map(link)}
      <li><a href="${root}openapi.json">OpenAPI</a></li>
      ${graphiql ? [html`<li><a href="${root}graphql">GraphiQL</a></li>`] : []}
    </ul>
  </nav>`;
}

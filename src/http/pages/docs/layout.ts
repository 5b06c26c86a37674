import { html, type Html } from './html.ts';

export interface Page {
  /** Below `/docs`; empty for `/docs` itself. */
  readonly name: string;
  readonly title: string;
  readonly body: Html;
}

/** The generated pages, in the order of the navigation. */
export const references = [
  { name: '', title: 'REST reference' },
  { name: 'errors', title: 'Errors' },
  { name: 'metrics', title: 'Metrics' },
  { name: 'versioning', title: 'Versioning' },
] as const;

/** What the pages of a gateway have in common. */
export interface Layout {
  readonly guides: readonly Pick<Page, 'name' | 'title'>[];
  readonly iconPath: string;
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
}

/** Renders a whole page. Links are relative, so that they work behind a proxy that serves the gateway below a path. */
export function renderLayout({ name, title, body }: Page, layout: Layout): string {
  const root = name === '' ? '' : '../';
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · RDAP Gateway</title>
        <link rel="icon" href="${root}${layout.iconPath.slice(1)}" type="image/svg+xml" />
        <link rel="stylesheet" href="${root}docs/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header>
          <p class="name"><a href="${root || './'}">RDAP Gateway</a></p>
          ${navigation(name, root, layout)}
        </header>
        <main id="content">
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.html;
}

function navigation(current: string, root: string, { guides, graphiql }: Layout): Html {
  const link = ({ name, title }: Pick<Page, 'name' | 'title'>) => {
    const href = `${root}docs${name && '/'}${name}`;
    return html`<li>
      <a href="${href}" ${name === current ? html` aria-current="page"` : ''}>${title}</a>
    </li>`;
  };
  const { guide = [], changelog = [] } = Object.groupBy(guides, ({ name }) =>
    name === 'changelog' ? 'changelog' : 'guide',
  );
  return html`<nav aria-label="Documentation">
    <ul aria-label="Guides">
      ${guide.map(link)}
    </ul>
    <ul aria-label="Reference">
      ${[...references, ...changelog].map(link)}
      <li><a href="${root}openapi.json">OpenAPI</a></li>
      ${graphiql ? [html`<li><a href="${root}graphql">GraphiQL</a></li>`] : []}
    </ul>
  </nav>`;
}

import type { Html } from './html.ts';

/** A page as the navigation shows it. */
export interface PageLink {
  /** Below `/docs`; empty for `/docs` itself. */
  readonly name: string;
  readonly title: string;
}

export interface Page extends PageLink {
  /** One sentence for search engines and link previews. */
  readonly description: string;
  readonly body: Html;
  /** The headings that the page lists beside its text. */
  readonly sections?: readonly SectionLink[];
}

export interface SectionLink {
  readonly id: string;
  readonly title: string | Html;
}

/** What the pages of a gateway have in common. */
export interface Layout {
  readonly pages: readonly PageLink[];
  readonly files: DocsFiles;
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
  /** Whether clients may download the GraphQL schema. */
  readonly hasSchema: boolean;
}

/** The paths of the files that pages load. */
export interface DocsFiles {
  readonly icon: string;
  readonly styles: readonly string[];
  readonly modules: readonly string[];
}

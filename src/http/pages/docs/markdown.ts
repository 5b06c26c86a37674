import { Marked, type Token, type Tokens } from 'marked';
import { codeBlock, contents, html, table, trusted, type Html } from './html.ts';

/**
 * Renders a Markdown file of this repository without its title, with anchors as on GitHub and a
 * table of contents.
 * `linkTo` returns the address for a link, or undefined if there is no such page; then only the
 * text of the link is rendered. HTML in the file is not escaped.
 */
export function renderMarkdown(text: string, linkTo: (href: string) => string | undefined): Html {
  const rendering = new Rendering(linkTo);
  const [, ...tokens] = rendering.read(text);
  const first = tokens.findIndex((token) => token.type === 'heading' && token['depth'] === 2);
  const split = first === -1 ? tokens.length : first;
  const introduction = rendering.render(tokens.slice(0, split));
  const sections = rendering.render(tokens.slice(split));
  return html`${introduction}${contents(rendering.sections)}${sections}`;
}

/**
 * Renders the tokens of one file. They must be passed in order, because tables and code blocks are
 * labelled with the heading above them.
 */
class Rendering {
  readonly sections: { id: string; title: Html }[] = [];
  readonly #marked: Marked;
  readonly #slugs = new Map<string, number>();
  #heading = '';

  constructor(linkTo: (href: string) => string | undefined) {
    const inline = (tokens: Token[]) => trusted(this.#marked.Parser.parseInline(tokens, options));
    const renderer = {
      heading: (token: Tokens.Heading) => this.#renderHeading(token, inline(token.tokens)).html,
      table: ({ header, rows }: Tokens.Table) =>
        table(
          this.#heading,
          header.map(({ tokens }) => inline(tokens)),
          rows.map((row) => row.map(({ tokens }) => inline(tokens))),
        ).html,
      code: ({ text }: Tokens.Code) => codeBlock(this.#heading, text).html,
      link: ({ href, tokens }: Tokens.Link) => {
        const target = linkTo(href);
        return target === undefined
          ? inline(tokens).html
          : html`<a href="${target}">${inline(tokens)}</a>`.html;
      },
    };
    this.#marked = new Marked({ renderer });
    const options = this.#marked.defaults;
  }

  read(text: string): Token[] {
    return this.#marked.lexer(text);
  }

  render(tokens: Token[]): Html {
    return trusted(this.#marked.parser(tokens));
  }

  #renderHeading({ depth, text }: Tokens.Heading, title: Html): Html {
    this.#heading = text.replaceAll('`', '');
    const id = this.#slug(this.#heading);
    if (depth === 2) this.sections.push({ id, title });
    const level = trusted(`h${depth}`);
    return html`<${level} id="${id}"><a href="#${id}">${title}</a></${level}>`;
  }

  /** Returns the anchor that GitHub gives a heading. */
  #slug(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const times = this.#slugs.get(slug) ?? 0;
    this.#slugs.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }
}

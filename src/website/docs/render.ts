import { Marked, type Token, type Tokens } from 'marked';
import { renderPicture } from '../render-picture.ts';
import { html, table, trusted, type Html } from './html.ts';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import graphql from 'highlight.js/lib/languages/graphql';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';

/** A page without its title. */
export interface PageContent {
  readonly body: Html;
  /** The headings that the page lists beside its text. */
  readonly sections: readonly Section[];
}

export interface Section {
  /** Its anchor. */
  readonly id: string;
  readonly title: Html;
}

/**
 * Renders a Markdown file of this repository without its title, with anchors as on GitHub, and
 * returns its headings. Code blocks with a title after the language, as in "```js JavaScript",
 * become tabs if they follow each other. A block in the language `evidence` has the arguments of
 * `renderPicture`, and becomes the picture.
 * `linkTo` returns the address for a link, or undefined if there is no such page; then only the
 * text of the link is rendered. HTML in the file is not escaped.
 */
export function renderMarkdown(
  text: string,
  linkTo: (href: string) => string | undefined,
): PageContent {
  const rendering = new Rendering(/^# (.+)/.exec(text)?.[1] ?? '', linkTo);
  const [, ...tokens] = rendering.read(text);
  const body = rendering.render(withTabs(tokens));
  return { body, sections: rendering.sections };
}

interface TabsToken extends Tokens.Generic {
  readonly type: 'tabs';
  readonly variants: CodeVariant[];
}

/** Combines consecutive code blocks with titles to one token. */
function withTabs(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (const token of tokens) {
    const variant = token.type === 'code' && variantIn(token as Tokens.Code);
    if (!variant) {
      result.push(token);
      continue;
    }

    const last = result.findLast(({ type }) => type !== 'space');
    if (last?.type === 'tabs') (last as TabsToken).variants.push(variant);
    else result.push({ type: 'tabs', raw: token.raw, variants: [variant] });
  }

  return result;
}

function variantIn({ lang = '', text: code }: Tokens.Code): CodeVariant | undefined {
  const [, language, title] = /^(\S+) (.+)/.exec(lang) ?? [];
  return language !== undefined && title !== undefined ? { title, language, code } : undefined;
}

/**
 * Renders the tokens of one file. They must be passed in order, because tables and code blocks are
 * labelled with the heading above them.
 */
class Rendering {
  readonly sections: Section[] = [];
  readonly #marked: Marked;
  readonly #slugs = new Map<string, number>();
  #heading: string;
  #tabs = 0;

  constructor(title: string, linkTo: (href: string) => string | undefined) {
    this.#heading = title;
    const inline = (tokens: Token[]) => trusted(this.#marked.Parser.parseInline(tokens, options));
    const renderer = {
      heading: (token: Tokens.Heading) => this.#renderHeading(token, inline(token.tokens)).html,
      table: ({ header, rows }: Tokens.Table) =>
        table(
          this.#heading,
          header.map(({ tokens }) => inline(tokens)),
          rows.map((row) => row.map(({ tokens }) => inline(tokens))),
        ).html,
      code: ({ text, lang }: Tokens.Code) =>
        lang === 'evidence'
          ? renderPicture(...(JSON.parse(text) as Parameters<typeof renderPicture>)).html
          : codeBlock(this.#heading, text, lang).html,
      link: ({ href, tokens }: Tokens.Link) => {
        const target = linkTo(href);
        return target === undefined
          ? inline(tokens).html
          : html`<a href="${target}">${inline(tokens)}</a>`.html;
      },
    };
    const tabs = {
      name: 'tabs',
      renderer: (token: Tokens.Generic) =>
        codeTabs(this.#heading, `tabs-${++this.#tabs}`, (token as TabsToken).variants).html,
    };
    this.#marked = new Marked({ renderer, extensions: [tabs] });

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

/** Renders a block of code, to which `docs.js` adds a button that copies it. */
function codeBlock(caption: string, code: string, language = ''): Html {
  return html`<div class="code">
    <pre
      tabindex="0"
      role="group"
      aria-label="${caption}"
    ><code>${highlight(code, language)}</code></pre>
  </div>`;
}

/** The same example in one of several languages. */
interface CodeVariant {
  /** The text of its tab, such as `Python`. */
  readonly title: string;
  readonly language: string;
  readonly code: string;
}

/** Renders variants of an example as tabs, which work without scripts. `id` is unique on the page. */
function codeTabs(caption: string, id: string, variants: readonly CodeVariant[]): Html {
  const tabs = variants.map(
    ({ title }, index) =>
      html`<input
          type="radio"
          name="${id}"
          id="${id}-${index}"
          value="${title}"
          ${index === 0 ? html`checked` : ''}
        /><label for="${id}-${index}">${title}</label>`,
  );
  const blocks = variants.map(({ title, language, code }) =>
    codeBlock(`${caption}: ${title}`, code, language),
  );

  return html`<fieldset class="tabs">
    <legend>${caption}: language</legend>
    ${tabs} ${blocks}
  </fieldset>`;
}

const languages = { bash, graphql, javascript, json, python, typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Highlights code in a language that the guides use. Returns other code without colors. */
function highlight(code: string, language: string): Html {
  return hljs.getLanguage(language)
    ? trusted(hljs.highlight(code, { language }).value)
    : html`${code}`;
}

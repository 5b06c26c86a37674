/** A piece of HTML that may stand in a page as it is. Made only by the functions here. */
export interface Html {
  readonly html: string;
}

type Insert = Html | string | number | readonly Html[];

/** HTML with values in it: what is not HTML itself is escaped, in text and in quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return {
    html: strings.reduce(
      (text, string, index) => text + rendered(inserts[index - 1] ?? '') + string,
    ),
  };
}

/** Plain text in which `code` stands between backticks, as the descriptions of this API have it. */
export function prose(text: string): Html {
  const pieces = text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
  return html`${pieces}`;
}

/** A table that stays readable on a phone, where its cells stand below each other; what is wider all the same scrolls by itself. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Html[])[],
): Html {
  const row = ([first, ...others]: readonly Html[]) =>
    html`<tr>
      <th scope="row">${first ?? ''}</th>
      ${others.map((cell) => html`<td>${cell}</td>`)}
    </tr> `;
  return html`<div class="scrolls" role="group" aria-label="${caption}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(row)}
      </tbody>
    </table>
  </div>`;
}

/** Code to be copied: one click selects it all. */
export function codeBlock(caption: string, code: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${caption}"><code>${code}</code></pre>`;
}

/** A part of a page. */
export interface Section {
  /** Its anchor. */
  readonly id: string;
  readonly title: string | Html;
  readonly body: Html;
}

/** A list of the parts of a page that has many. */
export function contents(parts: readonly Section[]): Html {
  const links = parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`<nav aria-label="On this page">
    <ul>
      ${links}
    </ul>
  </nav> `;
}

export function sections(parts: readonly Section[]): Html {
  const each = ({ id, title, body }: Section) =>
    html`<section id="${id}">
      <h2><a href="#${id}">${title}</a></h2>
      ${body}
    </section> `;
  return html`${parts.map(each)}`;
}

function rendered(insert: Insert): string {
  if (typeof insert === 'string' || typeof insert === 'number') return escaped(String(insert));
  return 'html' in insert ? insert.html : insert.map((piece) => piece.html).join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

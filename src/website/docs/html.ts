/** A piece of HTML that needs no escaping. Created only by the functions in this file. */
export interface Html {
  readonly html: string;
}

/** Marks HTML that a library rendered from a file of this repository. */
export function trusted(text: string): Html {
  return { html: text };
}

export type Insert = Html | string | number | readonly Html[];

/** Builds HTML. Inserted values are escaped, in text and in quoted attributes, unless they are `Html`. */
export function html(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return {
    html: strings.reduce(
      (text, string, index) => text + rendered(inserts[index - 1] ?? '') + string,
    ),
  };
}

/** Renders a table. On narrow screens, its cells are stacked; a table wider than the page scrolls. */
export function table(
  caption: string,
  heads: readonly (string | Html)[],
  rows: readonly (readonly Insert[])[],
): Html {
  const row = ([first, ...others]: readonly Insert[]) =>
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

function rendered(insert: Insert): string {
  if (typeof insert === 'string' || typeof insert === 'number') return escaped(String(insert));
  return 'html' in insert ? insert.html : insert.map((piece) => piece.html).join('');
}

/** Escapes a text for HTML, also in quoted attributes. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

import { html, type Html } from './html.ts';
import { highlight } from './highlight.ts';

/** Renders a block of code, to which `docs.js` adds a button that copies it. */
export function codeBlock(caption: string, code: string, language = ''): Html {
  return html`<div class="code">
    <pre
      tabindex="0"
      role="group"
      aria-label="${caption}"
    ><code>${highlight(code, language)}</code></pre>
  </div>`;
}

/** The same example in one of several languages. */
export interface CodeVariant {
  /** The text of its tab, such as `Python`. */
  readonly title: string;
  readonly language: string;
  readonly code: string;
}

/** Renders variants of an example as tabs, which work without scripts. `id` is unique on the page. */
export function codeTabs(caption: string, id: string, variants: readonly CodeVariant[]): Html {
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

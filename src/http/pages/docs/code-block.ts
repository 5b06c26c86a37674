import { html, trusted, type Html } from './html.ts';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import graphql from 'highlight.js/lib/languages/graphql';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';

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

const languages = { bash, graphql, javascript, json, python, typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Highlights code in a language that the guides use. Returns other code without colors. */
function highlight(code: string, language: string): Html {
  return hljs.getLanguage(language)
    ? trusted(hljs.highlight(code, { language }).value)
    : html`${code}`;
}

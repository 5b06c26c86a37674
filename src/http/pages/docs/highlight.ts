import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import graphql from 'highlight.js/lib/languages/graphql';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { html, trusted, type Html } from './html.ts';

const languages = { bash, graphql, javascript, json, python, typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Highlights code in a language that the guides use. Returns other code without colors. */
export function highlight(code: string, language: string): Html {
  return hljs.getLanguage(language)
    ? trusted(hljs.highlight(code, { language }).value)
    : html`${code}`;
}

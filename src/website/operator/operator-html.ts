import { once } from '../../shared/memoize.ts';
import { pageTemplate, type Asset } from '../assets.ts';
import { html, table, trusted, type Html } from '../docs/html.ts';
import texts from './operator-texts.json' with { type: 'json' };

/** What a cell shows. */
export type Cell = Html | string | number;

/** The share of credits or of a daily allowance from which an operator should act. */
export const highShare = 0.9;

/**
 * Reads a file of the page when it is first shown. Returns a function that renders it with values, which are escaped, in
 * place of comments such as `<!-- name -->`.
 */
export function pagePart(file: string, assets: readonly Asset[] = []) {
  const read = once(() => pageTemplate(file, assets));
  return (values: Readonly<Record<string, Cell>>): Html =>
    trusted(read().replaceAll(/<!-- (\w+) -->/g, (_, name) => html`${values[name] ?? ''}`.html));
}

/** Renders a table of the operator page. `note`: what follows its text. */
export function section(
  name: keyof typeof texts.tables,
  rows: readonly (readonly Cell[])[],
  note: Html | string = '',
): Html {
  const { title, text, heads } = texts.tables[name];
  return html`<section aria-label="${title}">
    <h2>${title}</h2>
    <p>${text} ${note}</p>
    ${table(title, heads, rows)}
  </section>`;
}

export function alert(text: string): Html {
  return html`<strong>${text}</strong>`;
}

/** Returns a share, 0 to 1, in percent; empty if there is none. */
export function share(value: number | null): Html | string {
  if (value === null || !Number.isFinite(value)) return '';
  const percent = `${Math.round(value * 100)} %`;
  return value >= highShare ? alert(percent) : percent;
}

/** Returns a time in UTC, such as `2026-11-23 08:45:07Z`. */
export function timeOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

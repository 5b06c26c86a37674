import type { Description, Shape } from './description.ts';
import { html, prose, table, type Html } from './html.ts';

/** Renders the fields of an object of a response. */
export function membersTable(caption: string, { properties, required }: Shape): Html {
  const rows = Object.entries(properties).map(([name, { description }]) => [
    html`<code>${name}</code>${required.includes(name) ? '' : html` <small>optional</small>`}`,
    prose(description),
  ]);
  return table(caption, ['Field', 'Meaning'], rows);
}

/** Returns the members that a row does not have. */
export function omitShared({ properties, required }: Shape, row: Shape): Shape {
  return {
    required,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([name]) => !(name in row.properties)),
    ),
  };
}

/** Renders the values of `status`. */
export function statusTable({ properties }: Shape): Html {
  const values = Object.entries(properties['status']?.['x-enumDescriptions'] ?? {});
  return table(
    'Status values',
    ['Status', 'Meaning'],
    values.map(([value, meaning]) => [html`<code>${value}</code>`, prose(meaning)]),
  );
}

/** Renders the headers that clients can read, from pages of other origins too. */
export function headersTable({ components }: Description): Html {
  const rows = Object.entries(components.headers).map(([name, { description }]) => [
    html`<code>${name}</code>`,
    prose(description),
  ]);
  return table('Response headers', ['Header', 'Meaning'], rows);
}

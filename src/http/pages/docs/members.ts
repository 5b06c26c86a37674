import type { Description, Shape } from './description.ts';
import { html, prose, table, type Html } from './html.ts';

/** The members of an object of an answer. */
export function membersTable(caption: string, { properties, required }: Shape): Html {
  const rows = Object.entries(properties).map(([name, { description }]) => [
    html`<code>${name}</code>${required.includes(name) ? '' : ' (not always)'}`,
    prose(description),
  ]);
  return table(caption, ['Member', 'Meaning'], rows);
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

/** The words of `status`: words may be added. */
export function statusTable({ properties }: Shape): Html {
  const words = Object.entries(properties['status']?.['x-enumDescriptions'] ?? {});
  return table(
    'Words of status',
    ['Status', 'Meaning'],
    words.map(([word, meaning]) => [html`<code>${word}</code>`, prose(meaning)]),
  );
}

/** The headers that a caller may read, also from a page of another origin. */
export function headersTable({ components }: Description): Html {
  const rows = Object.entries(components.headers).map(([name, { description }]) => [
    html`<code>${name}</code>`,
    prose(description),
  ]);
  return table('Headers of answers', ['Header', 'Meaning'], rows);
}

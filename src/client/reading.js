// The line that says how a text was read, and which names are then looked up. The search page and
// <domain-search> have the same ones.

/** How many names of one list are looked up. */
export const maxNames = 1000;

/**
 * Returns the content of the line: texts, elements, and buttons whose `data-example` is another text.
 * `reader` is the module `read-text.js`, without which only a plain name is explained. `name` is what
 * is searched of a single name.
 */
export function explanationOf(reading, reader, name = reading.labels?.[0] ?? reading.key) {
  const { kind, alternative, joined, words, note, unlikely } = reading;
  if (kind === 'invalid') return [reading.message, ...searchInstead(reading.suggestion)];
  const others = [...searchInstead(kind === 'list' ? joined : alternative), ...checkAs(words)];
  if (kind === 'list') return [...summaryOf(reading, reader), ...others];
  const more = [...(unlikely ? reader.leftOut(unlikely) : []), ...(note ? [note] : [])];
  return ['Showing results for ', bold(name), '.', ...more.map((text) => ` ${text}`), ...others];
}

function summaryOf(reading, reader) {
  const read = reader.summaryOf({ ...reading, joined: undefined, words: undefined }, 'Showing');
  const cut = ` Only the first ${maxNames.toLocaleString()} are shown.`;
  return reading.names.length > maxNames ? [read, cut] : [read];
}

function searchInstead(text) {
  return text ? [' ', textButton(text, 'Search ', bold(text), ' instead')] : [];
}

function checkAs(words) {
  const count = words?.split(', ').length;
  if (count > 1) return [' ', textButton(words, `Check as ${count} names`)];
  return searchInstead(words);
}

/** Returns a button that puts a text into the field. */
export function textButton(text, ...content) {
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.example = text;
  button.append(...content);
  return button;
}

function bold(text) {
  const element = document.createElement('strong');
  element.textContent = text;
  return element;
}

const query = `query Names($domains: [String!]!) {
  domains(domains: $domains, budgetMs: 0, confirm: AVAILABLE) { registrableName }
}`;
const batchSize = 100;

/** Returns the labels of each name that a reading means. */
export function labelsIn({ kind, labels, names }) {
  if (kind === 'list') return names;
  return kind === 'name' ? [labels] : [];
}

/**
 * Replaces names, as labels, by the registrable names in them: `example` and `co.uk` for
 * `shop.example.co.uk`. Only the gateway knows under which suffixes names are registered. `runQuery`
 * resolves to the result of a query with variables.
 */
export async function registrableNames(names, runQuery) {
  const deep = names.filter((labels) => labels.length > 2).slice(0, maxNames);
  const found = new Map();
  for (let at = 0; at < deep.length; at += batchSize) {
    const batch = deep.slice(at, at + batchSize);
    const domains = batch.map((labels) => labels.join('.'));
    const { data } = await runQuery(query, { domains });
    for (const [index, labels] of batch.entries()) {
      const depth = data.domains?.[index]?.registrableName?.split('.').length;
      if (depth) found.set(labels, labels.slice(-depth));
    }
  }

  return names.map((labels) => found.get(labels) ?? labels);
}

// The search over all pages of the documentation. The index, and the library that searches it, are
// loaded when the search is opened.
import { synonyms, termsOf, wordsOf } from './search-terms.js';

const root = new URL('../..', import.meta.url);
const maxResults = 12;
const snippetLength = 140;

/** Opens the search with a button, or with the keys `/` and Ctrl-K. */
export function installSearch(button) {
  const search = createDialog();
  let index;

  async function open() {
    if (search.dialog.open) return;

    search.dialog.showModal();
    index ??= loadIndex();

    try {
      search.setIndex(await index);
    } catch {
      index = undefined;
      search.status.textContent = 'The search index could not be loaded.';
    }
  }

  button.hidden = false;
  button.addEventListener('click', open);
  addEventListener('keydown', (event) => {
    const isShortcut =
      (event.key === '/' && !/^(?:INPUT|TEXTAREA)$/.test(event.target.tagName)) ||
      (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isShortcut) return;
    event.preventDefault();
    void open();
  });
}

/** Loads the sections, and indexes them. */
async function loadIndex() {
  const [{ default: MiniSearch }, entries] = await Promise.all([
    import('./minisearch.js'),
    fetch(new URL('docs/search.json', root)).then((response) => response.json()),
  ]);
  const index = new MiniSearch({
    idField: 'path',
    fields: ['page', 'heading', 'text'],
    storeFields: ['path', 'page', 'heading', 'text'],
    tokenize: termsOf,
    processTerm: (term) => [term, ...(synonyms[term] ?? [])],
    searchOptions: {
      tokenize: wordsOf,
      processTerm: (term) => term,
      boost: { heading: 6, page: 3 },
      // These pages mention everything.
      boostDocument: (path) => (/^.(?:changelog|architecture|benchmarks)/.test(path) ? 0.3 : 1),
      prefix: (term) => term.length > 2,
      // A typing error in a word of five letters or more.
      fuzzy: (term) => (term.length > 4 ? 0.25 : false),
      weights: { prefix: 0.5, fuzzy: 0.2 },
    },
  });
  index.addAll(entries);

  return index;
}

/** Returns the sections that have most words of a text, the best first. */
function findEntries(index, text) {
  const wanted = new Set(wordsOf(text)).size;
  return index
    .search(text)
    .map((entry) => ({ ...entry, rank: entry.score * (entry.queryTerms.length / wanted) ** 3 }))
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, maxResults);
}

function createDialog() {
  const dialog = element('dialog', { className: 'search', ariaLabel: 'Search the documentation' });
  const input = element('input', {
    type: 'search',
    placeholder: 'Search docs',
    ariaLabel: 'Search docs',
    autocomplete: 'off',
    spellcheck: false,
  });
  const status = element('p', { role: 'status' });
  const list = element('ol', {});
  dialog.append(input, status, list);
  document.body.append(dialog);

  let index;
  function show() {
    const text = input.value.trim();
    const found = index && text ? findEntries(index, text) : [];
    status.textContent =
      !text || !index ? '' : found.length === 0 ? 'No results' : `${found.length} results`;
    list.replaceChildren(...found.map(resultOf));
  }

  input.addEventListener('input', show);
  dialog.addEventListener('keydown', (event) => moveFocus(event, input, list));
  dialog.addEventListener('click', ({ target }) => {
    // A click on the backdrop, or on a link to this page.
    if (target === dialog || target.closest('a')) dialog.close();
  });

  return {
    dialog,
    status,
    setIndex(loaded) {
      index = loaded;
      show();
    },
  };
}

/** Moves between the input and the results with the arrow keys. Enter opens the first result. */
function moveFocus(event, input, list) {
  const links = Array.from(list.querySelectorAll('a'));
  if (event.key === 'Enter' && event.target === input) links[0]?.click();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;

  event.preventDefault();
  const targets = [input, ...links];
  targets.at((targets.indexOf(document.activeElement) + step) % targets.length).focus();
}

function resultOf({ path, page, heading, text, terms }) {
  const words = terms.flatMap((term) => [term, ...wordsWithSynonym(term)]);
  const link = element('a', { href: new URL(`docs${path}`, root).href });
  const title = element('strong', {});
  title.append(...marked(heading || page, words));

  const snippet = element('span', {});
  snippet.append(...marked(snippetOf(text, words), words));
  link.append(element('small', { textContent: page }), title, snippet);

  const item = element('li', {});
  item.append(link);
  return item;
}

function wordsWithSynonym(term) {
  return Object.keys(synonyms).filter((word) => synonyms[word].includes(term));
}

/** Returns the text around the first word that it contains. */
function snippetOf(text, words) {
  const places = words
    .map((word) => text.toLowerCase().indexOf(word))
    .filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 40);
  const from = places.length === 0 ? 0 : start;
  return `${from > 0 ? '…' : ''}${text.slice(from, from + snippetLength)}`;
}

/** Splits a text into nodes in which the words are marked. */
function marked(text, words) {
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text
    .split(new RegExp(`(${escaped.join('|')})`, 'i'))
    .map((part, index) => (index % 2 === 1 ? element('mark', { textContent: part }) : part));
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

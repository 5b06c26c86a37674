// The search over all pages of the documentation. The index is loaded when the search is opened.
const root = new URL('../..', import.meta.url);
const maxResults = 12;
const snippetLength = 140;

/** Opens the search with a button, or with the keys `/` and Ctrl-K. */
export function installSearch(button) {
  const search = createDialog();
  let entries;
  async function open() {
    if (search.dialog.open) return;
    search.dialog.showModal();
    entries ??= fetch(new URL('docs/search.json', root)).then((response) => response.json());
    try {
      search.setEntries(await entries);
    } catch {
      entries = undefined;
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
    open();
  });
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
  let entries = [];
  function show() {
    const words = wordsIn(input.value);
    const found = words.length > 0 ? findEntries(entries, words) : [];
    status.textContent =
      words.length === 0 ? '' : found.length === 0 ? 'No results' : `${found.length} results`;
    list.replaceChildren(...found.map((entry) => resultOf(entry, words)));
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
    setEntries(loaded) {
      entries = loaded;
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

const wordsIn = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Returns the entries that contain every word, the best first. */
function findEntries(entries, words) {
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxResults)
    .map(({ entry }) => entry);
}

function scoreOf({ page, heading, text }, words) {
  const [title, name, content] = [page, heading, text].map((part) => part.toLowerCase());
  const scores = words.map((word) =>
    name === word
      ? 20
      : name.includes(word)
        ? 10
        : title.includes(word)
          ? 5
          : content.includes(word)
            ? 1
            : 0,
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score);
}

function resultOf({ path, page, heading, text }, words) {
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

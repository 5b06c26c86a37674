// The search box: a label under many TLDs, in one subscription for what is in view; each row is drawn as its registry answers.
import { subscribe } from './gateway.js';
import { drawTiles, fillTile, markAsked, markUnanswered, onTileChosen, tileOf } from './grid.js';
import { clearNotice, onAgain, showRefusal, showUnreached } from './notice.js';
import { openRecord } from './record.js';
import { sets } from './tlds.js';

const query = `subscription Search($name: String!, $tlds: [String!]!) {
  availability(name: $name, tlds: $tlds) { tld status reason cached latencyMs }
}`;
const batchSize = 40;
const debounceMs = 200;
const noCounts = { asked: 0, answered: 0, free: 0 };

const form = document.querySelector('#search');
const field = document.querySelector('#label');
const grid = document.querySelector('#grid');
const summary = document.querySelector('#summary');
const progress = document.querySelector('#progress');

let current = new AbortController();
let typing;

/** What is in the field: `shop.co.uk` is the label `shop`, with `co.uk` in front of the usual TLDs. Dots too many are forgiven. */
function readField() {
  const typed = field.value.trim().toLowerCase();
  const tlds = sets[form.elements.set.value];
  // What follows is a URL parser, and the gateway knows sets such as `@popular`: it is left to the gateway to say that this is no label.
  if (/[@:/\\?#%]/.test(typed)) return { label: typed, tlds };
  const [label = '', ...suffix] = typed.split(/[.。．｡]/).filter(Boolean);
  return {
    label,
    tlds: suffix.length > 0 ? [...new Set([asciiOf(suffix.join('.')), ...tlds])] : tlds,
  };
}

/** Rows name their TLD in ASCII; the browser's own URL parser knows how to. */
function asciiOf(suffix) {
  return URL.parse(`http://x.${suffix}`)?.hostname.slice(2) ?? suffix;
}

/** Leaves the search on screen: the closed request takes its unsent lookups along. */
function abandon() {
  clearTimeout(typing);
  current.abort();
  clearNotice();
}

function start() {
  abandon();
  current = new AbortController();
  const { label, tlds } = readField();
  remember({ q: field.value.trim(), set: form.elements.set.value });
  drawTiles(label, tlds);
  showCounts(noCounts);
  if (label) askAsSeen(label, tlds, { ...noCounts }, current.signal);
}

/** Keeps the search in the address, where it can be shared and come back to. */
function remember({ q, set }) {
  const search = new URLSearchParams({ ...(q && { q }), ...(set === 'test' && { set }) });
  history.replaceState(null, '', search.size > 0 ? `?${search}` : location.pathname);
}

/** Asks the first batch at once, and each other when one of its tiles is about to be seen. */
function askAsSeen(label, tlds, counts, signal) {
  const unasked = new Map();
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting))
        askBatchOf(target);
    },
    { rootMargin: '100px' },
  );
  signal.addEventListener('abort', () => seen.disconnect());

  function askBatchOf(tile) {
    const batch = unasked.get(tile);
    if (!batch) return;
    for (const each of batch.map(tileOf)) {
      unasked.delete(each);
      seen.unobserve(each);
    }
    void askBatch(label, batch, counts, signal);
  }

  for (let at = 0; at < tlds.length; at += batchSize) {
    const batch = tlds.slice(at, at + batchSize);
    for (const tile of batch.map(tileOf)) {
      unasked.set(tile, batch);
      seen.observe(tile);
    }
  }
  askBatchOf(tileOf(tlds[0]));
}

async function askBatch(label, tlds, counts, signal) {
  markAsked(tlds);
  counts.asked += tlds.length;
  showCounts(counts);
  let answered = 0;
  let unreached = 0;
  try {
    for await (const { data } of subscribe(query, { name: label, tlds }, signal)) {
      fillTile(data.availability);
      answered += 1;
      counts.answered += 1;
      if (data.availability.status === 'AVAILABLE') counts.free += 1;
      if (data.availability.reason?.startsWith('registry_')) unreached += 1;
      showCounts(counts);
    }
    // Of two spellings of one name a single row comes.
    markUnanswered(tlds);
    counts.asked -= tlds.length - answered;
    showCounts(counts);
    if (unreached === tlds.length && form.elements.set.value !== 'test') showUnreached();
  } catch (refusal) {
    if (!signal.aborted) stop(refusal);
  }
}

/** What one request is refused, the others of this search would be too. */
function stop(refusal) {
  current.abort();
  if (refusal.code === 'invalid_name') drawTiles('', readField().tlds);
  markUnanswered(readField().tlds);
  showCounts(noCounts);
  showRefusal(refusal);
}

function showCounts({ asked, answered, free }) {
  const busy = answered < asked;
  grid.ariaBusy = summary.ariaBusy = String(busy);
  progress.max = asked || 1;
  progress.value = answered;
  summary.textContent =
    asked === 0
      ? ''
      : `${busy ? `${answered} of ${asked}` : `All ${asked}`} answered, ${free} without a registration`;
}

field.addEventListener('input', () => {
  abandon();
  typing = setTimeout(start, debounceMs);
});
field.addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowDown') return;
  event.preventDefault();
  grid.querySelector('button:enabled')?.focus();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  start();
});
form.addEventListener('change', ({ target }) => target.name === 'set' && start());
document.querySelector('#use-test').addEventListener('click', () => {
  form.elements.set.value = 'test';
  start();
});
onAgain(start);
onTileChosen(openRecord);

const wanted = new URLSearchParams(location.search);
field.value = wanted.get('q') ?? '';
form.elements.set.value = wanted.get('set') === 'test' ? 'test' : 'real';
start();

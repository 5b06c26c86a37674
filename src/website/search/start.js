// The page before a search: how much is covered, and how answers look.
import { runQuery } from './gateway.js';
import { nameOf } from './names.js';
import { SmallSearch } from './small-search.js';

const start = document.querySelector('#start');
const samples = start.querySelector('.samples');
const coverage = start.querySelector('.coverage');
const query = '{ tlds(set: "all", first: 1) { totalCount } }';

/** One name per kind of answer, from the sandbox. */
const sampleNames = [
  ['bluefox', 'test'],
  ['taken', 'test'],
  ['reserved', 'test'],
  ['bluefox', 'whois-only.test'],
  ['bluefox', 'dns-only.test'],
  ['redemption', 'test'],
].map(([label, suffix]) => nameOf(label, suffix));

let onSelected = () => undefined;
let isLoaded = false;
const search = new SmallSearch(samples.querySelector('ul'), {
  onSelected: (domain) => onSelected(domain),
  onError: () => (samples.hidden = true),
});

/** Calls a function with a name when its details are requested. */
export function onSampleSelected(callback) {
  onSelected = callback;
}

/** Shows the page before a search, with the places of what will be loaded, or hides it. */
export function showStart(isShown) {
  start.hidden = !isShown;
  if (!isShown || isLoaded) return;
  samples.hidden = !('sandbox' in document.body.dataset);
  search.place(sampleNames);
}

/** Hides the samples if they cannot be loaded. */
export function hideSamples() {
  if (!isLoaded) samples.hidden = true;
}

/** Loads what the page shows before a search, once. */
export async function loadStart() {
  if (start.hidden || isLoaded) return;
  isLoaded = true;
  if (!samples.hidden) search.show(sampleNames);
  const { data } = await runQuery(query).catch(() => ({}));
  const { totalCount } = data?.tlds ?? {};
  if (totalCount) coverage.textContent = totalCount.toLocaleString();
}

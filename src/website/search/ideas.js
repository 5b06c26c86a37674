// Similar names: computed in the page from the label alone, and looked up only when they are opened.
import { runQuery } from './gateway.js';
import { nameOf } from './names.js';
import { SmallSearch } from './small-search.js';
import { isALabel } from './typed-text.js';

const prefixes = ['get', 'try', 'my'];
const suffixes = ['app', 'hq', 'hub', 'labs'];
const maxHacks = 4;
const maxIdeas = 12;
const maxLabelLength = 63;

/** Returns labels that resemble a label; `alternative` is another reading of what was typed. */
export function variantsOf(label, alternative = label) {
  const plural = label.endsWith('s') ? label.slice(0, -1) : `${label}s`;
  const variants = [
    label.replaceAll('-', ''),
    alternative,
    plural,
    ...prefixes.map((prefix) => prefix + label),
    ...suffixes.map((suffix) => label + suffix),
  ];

  return [...new Set(variants)].filter(
    (each) => each && each !== label && each.length <= maxLabelLength,
  );
}

/** Returns how a label can be divided into a label and a TLD: `blue.fox`. The longest TLD is first. */
export function hacksOf(label) {
  const ends = Array.from({ length: Math.max(0, label.length - 2) }, (_end, index) => index + 1);
  return ends
    .map((end) => [label.slice(0, end), label.slice(end)])
    .filter(([start, end]) => !start.endsWith('-') && !/[-.]/.test(end));
}

const isOpen = (tld) => tld && tld.policy !== 'BRAND' && tld.policy !== 'CLOSED';

const query = 'query Tlds($ids: [ID!]!) { nodes(ids: $ids) { ... on Tld { label policy } } }';

async function openHacks(label) {
  const hacks = hacksOf(label);
  if (hacks.length === 0) return [];
  const { data } = await runQuery(query, { ids: hacks.map(([, tld]) => `tld:${tld}`) });
  return hacks.filter((_hack, index) => isOpen(data.nodes[index])).slice(0, maxHacks);
}

const details = document.querySelector('#ideas');
const message = details.querySelector('p');
let idea;
let onSelected = () => undefined;
const search = new SmallSearch(details.querySelector('ul'), {
  onSelected: (domain) => onSelected(domain),
  onError: fail,
});

/** Calls a function with a name when its details are requested. */
export function onIdeaSelected(callback) {
  onSelected = callback;
}

/** Offers names like a label, most of them under a TLD; none for no label, or an encoded one. */
export function showIdeas(label, tld, alternative) {
  search.clear();
  message.textContent = '';
  idea = label && !isALabel(label) && { label, tld, alternative };
  details.hidden = !idea;
  details.open = false;
}

async function lookUp(current) {
  const { label, tld, alternative } = current;
  try {
    const hacks = await openHacks(label);
    if (idea !== current) return;
    const variants = variantsOf(label, alternative).map((each) => [each, tld]);
    search.show(
      [...hacks, ...variants].slice(0, maxIdeas).map(([each, under]) => nameOf(each, under)),
    );
  } catch (error) {
    if (idea === current) fail(error);
  }
}

function fail({ message: text }) {
  message.textContent = text;
}

details.addEventListener('toggle', () => {
  if (details.open && idea && search.isEmpty) void lookUp(idea);
});

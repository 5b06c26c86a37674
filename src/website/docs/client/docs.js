// Copy buttons, the choice of a language and the current section. Served without a build step.
import { movedTo } from './moved.js';
import { installSearch } from './search.js';
import { installTlds } from './tlds.js';

// Old links to a section lead to its new page.
const address = movedTo(location.pathname.split('/').at(-1), location.hash.slice(1));
if (address) location.replace(address);

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const copied = await copy(block.querySelector('code'));
    button.textContent = copied ? 'Copied' : 'Press Ctrl-C';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  block.append(button);
}

/** Copies the text of an element. Selects it where browsers allow no access to the clipboard. */
async function copy(element) {
  getSelection().selectAllChildren(element);
  try {
    // Exists only on pages from localhost or over HTTPS.
    await navigator.clipboard.writeText(element.textContent);
    getSelection().removeAllRanges();
    return true;
  } catch {
    return document.execCommand('copy');
  }
}

// The chosen language applies to all examples, and to the next pages.
const storageKey = 'docs-language';
const tabs = Array.from(document.querySelectorAll('.tabs input'));

function choose(language) {
  for (const tab of tabs) if (tab.value === language) tab.checked = true;
}

choose(localStorage.getItem(storageKey));
for (const tab of tabs) {
  tab.addEventListener('change', () => {
    const { top } = tab.getBoundingClientRect();
    localStorage.setItem(storageKey, tab.value);
    choose(tab.value);
    // Examples above may have changed their height.
    scrollBy(0, tab.getBoundingClientRect().top - top);
  });
}

// Marks the section that is being read in the table of contents.
const links = Array.from(document.querySelectorAll('.contents a'));
let isScheduled = false;

function markSection() {
  isScheduled = false;
  // Those of the REST reference are added and removed while it scrolls.
  const current = links.findLastIndex(
    (link) => document.getElementById(link.hash.slice(1))?.getBoundingClientRect().top < 120,
  );
  for (const [index, link] of links.entries()) {
    if (index === current) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

addEventListener(
  'scroll',
  () => {
    if (!isScheduled) requestAnimationFrame(markSection);
    isScheduled = true;
  },
  { passive: true },
);
markSection();

if (/\/docs\/tlds\/?$/.test(location.pathname)) void installTlds(document.querySelector('article'));
installSearch(document.querySelector('.open-search'));

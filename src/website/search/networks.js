// A nameserver that can be opened to show the networks of its addresses.
import { runQuery } from './gateway.js';

/** Each network costs credits. */
const maxAddresses = 10;

const fragment = `fragment Network on IpNetwork {
  found problem { detail } name cidr country
  entities { handle roles contact { name organization } }
}`;

/**
 * Returns the name of a nameserver; with addresses, as a button that shows their networks. They are
 * looked up when it is opened. Aborting the signal aborts the request.
 */
export function hostElement({ name, addresses }, signal) {
  if (addresses.length === 0) return name;
  const texts = addresses.map(({ ip }) => ip);
  return new Host(name, texts, signal).element;
}

let hostCount = 0;

/** A nameserver with addresses. */
class Host {
  #button;
  // Screen readers announce changes of a status, but not one that appears with its text. So it is
  // empty, and not hidden, while the nameserver is closed.
  #status = elementOf('p');
  #list = elementOf('ul');
  #addresses;
  #signal;
  #text = '';
  #isRequested = false;

  constructor(name, addresses, signal) {
    this.#addresses = addresses;
    this.#signal = signal;
    this.#list.id = `networks-${(hostCount += 1)}`;
    this.#list.hidden = true;
    this.#status.role = 'status';
    this.#button = elementOf('button', name);
    this.#button.type = 'button';
    this.#button.className = 'host';
    this.#button.setAttribute('aria-controls', this.#list.id);
    this.#button.addEventListener('click', () => this.#toggle());
    this.#update();
    this.element = elementOf('div', this.#button, this.#status, this.#list);
    this.element.className = 'networks';
  }

  #toggle() {
    this.#list.hidden = !this.#list.hidden;
    if (!this.#list.hidden && !this.#isRequested) void this.#load();
    this.#update();
  }

  async #load() {
    this.#isRequested = true;
    this.#text = 'Loading networks…';
    const shown = this.#addresses.slice(0, maxAddresses);
    try {
      this.#list.replaceChildren(...(await loadNetworks(shown, this.#signal)));
      this.#text = titleOf(shown.length, this.#addresses.length);
    } catch (error) {
      this.#isRequested = false;
      this.#text = error.message;
    }

    this.#update();
  }

  #update() {
    this.#button.ariaExpanded = String(!this.#list.hidden);
    this.#status.textContent = this.#list.hidden ? '' : this.#text;
  }
}

/** Looks up the networks of addresses, and returns a list item for each address. */
async function loadNetworks(addresses, signal) {
  const parameters = addresses.map((_address, index) => `$a${index}: String!`);
  const fields = addresses.map(
    (_address, index) => `a${index}: ip(address: $a${index}) { ...Network }`,
  );
  const query = `query Networks(${parameters}) { ${fields.join(' ')} } ${fragment}`;
  const variables = Object.fromEntries(addresses.map((address, index) => [`a${index}`, address]));
  const { data, errors = [] } = await runQuery(query, variables, signal);

  return addresses.map((address, index) => {
    const error = errors.find(({ path }) => path?.[0] === `a${index}`);
    const lines = linesOf(
      data[`a${index}`] ?? { found: null, problem: { detail: error?.message } },
    );
    const paragraphs = lines.map((line) => elementOf('p', line));
    return elementOf('li', elementOf('strong', address), ...paragraphs);
  });
}

/** Returns what is known about a network. */
function linesOf({ found, problem, name, cidr, country, entities }) {
  if (found === null) return [`Unknown: ${problem?.detail ?? 'no reliable answer was available.'}`];
  if (!found) return ['No network is registered for this address.'];

  const holders = entities
    .filter(({ roles }) => roles.includes('registrant'))
    .map(({ handle, contact }) => contact.organization ?? contact.name ?? handle)
    .filter(Boolean);

  return [
    [name, ...cidr, country].filter(Boolean).join(', '),
    holders.length > 0 && `Holder: ${holders.join(', ')}`,
  ].filter(Boolean);
}

function titleOf(shown, total) {
  if (shown < total) return `Networks of the first ${shown} of ${total} addresses:`;
  return `Networks of ${total} ${total === 1 ? 'address' : 'addresses'}:`;
}

function elementOf(name, ...content) {
  const created = document.createElement(name);
  created.append(...content);
  return created;
}

// The network of an IP address, or the autonomous system with a number.
import { addFacts, contactLink, day, link } from './facts.js';
import { runQuery } from './gateway.js';

const entity = 'handle roles contact { name organization email phone }';
const fields = `
  found problem { detail } name handle country statuses events { action date }
  entities { ${entity} entities { ${entity} } } rdapEndpoint`;
const queries = {
  ip: `query Ip($key: String!) { object: ip(address: $key) { ${fields} cidr } }`,
  autnum: `query Autnum($key: ID!) { object: autnum(number: $key) { ${fields} } }`,
};

const card = document.querySelector('#object');
const [heading, status, list] = ['h2', 'p', 'dl'].map((selector) => card.querySelector(selector));

/** Looks up an address or a number, and shows its holder. Rejects with `GatewayError`. */
export async function showObject({ type, key }, signal) {
  show(key, 'Looking up its registration…');
  const { data, errors } = await runQuery(queries[type], { key: key.replace(' ', '') }, signal);
  if (signal.aborted) return;
  const { object } = data;
  show(key, object ? textOf(object, type) : errors?.[0]?.message, object?.found && factsOf(object));
}

function show(key, text, facts) {
  heading.textContent = key;
  status.textContent = text;
  addFacts(list, facts || {});
}

function textOf({ found, problem, name, handle }, type) {
  const what = type === 'ip' ? 'network' : 'autonomous system';
  if (found === null) return `No answer. ${problem?.detail ?? ''}`;
  if (!found) return `No ${what} is registered for it.`;
  return `${type === 'ip' ? 'It belongs to' : 'It is'} the ${what} ${name ?? handle}.`;
}

function factsOf({ cidr, country, statuses, events, entities, rdapEndpoint }) {
  const all = entities.flatMap((each) => [each, ...each.entities]);
  const contacts = (role) =>
    all.filter(({ roles }) => roles.includes(role)).map((each) => ({ ...each, ...each.contact }));
  const dateOf = (wanted) => day(events.find(({ action }) => action === wanted)?.date);

  return {
    Network: cidr,
    Holder: contacts('registrant').map((each) => each.organization ?? each.name ?? each.handle),
    Country: country,
    'Abuse contact': contacts('abuse').flatMap(({ email, phone }) => [
      contactLink('mailto', email),
      contactLink('tel', phone),
    ]),
    Registered: dateOf('registration'),
    Updated: dateOf('last changed'),
    Status: statuses,
    'Read from': link(rdapEndpoint),
  };
}

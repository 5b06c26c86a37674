// Shows the table of TLDs, which can be filtered. What is chosen is in the address of the page.
// Served without a build step.
const published = ['registrar', 'created', 'expires', 'nameservers', 'registrant'];

/** The filters by their names: the values, and whether a TLD has one. */
const filters = {
  Type: { gtld: 'generic', cctld: 'country code' },
  Source: { rdap: 'RDAP', das: 'availability service', whois: 'WHOIS', dns: 'DNS' },
  Provable: { proves: 'yes', 'proves-not': 'no' },
  Policy: {
    open: 'open',
    restricted: 'restricted',
    brand: 'brand',
    closed: 'closed',
    unknown: 'unknown',
  },
  Publishes: Object.fromEntries(published.map((field) => [field, field])),
  Health: { healthy: 'healthy', failing: 'failing' },
};

const heads = ['TLD', 'Sources', 'Proves “available”', 'Policy', 'Publishes', 'Health'];

/** All TLDs would make the page 280,000 pixels long on a phone. */
const maxRows = 100;

/** Adds the table to the text, and hides what its columns mean until a reader asks for it. */
export async function installTlds(article) {
  const meaning = element('details', {});
  meaning.append(
    element('summary', { textContent: 'What the columns mean' }),
    article.querySelector('.scrolls'),
  );

  const place = element('div', { id: 'tlds' });
  article.append(meaning, place);
  const status = element('p', { role: 'status', textContent: 'Loading …' });
  place.append(status);

  try {
    const response = await fetch('tlds.csv');
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    show(place, status, rowsIn(await response.text()));
  } catch {
    status.textContent = 'The table could not be loaded.';
  }
}

/** Returns the rows of a CSV file with a header (RFC 4180) as objects. No text of it has several lines. */
function rowsIn(csv) {
  const [header, ...lines] = csv
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      line
        .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
        .map((text) => text.replace(/^"(.*)"$/, '$1').replaceAll('""', '"')),
    );
  return lines.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at]])));
}

function show(place, status, tlds) {
  const rows = tlds.map((tld) => {
    const row = rowOf(tld);
    return { row, text: row.textContent.toLowerCase(), facts: factsOf(tld) };
  });
  const body = element('tbody', {});
  body.append(...rows.map(({ row }) => row));

  const { form, search, selects } = createForm();
  const more = element('button', { type: 'button' });
  let isComplete = false;

  function filter() {
    const text = search.value.trim().toLowerCase();
    const wanted = selects.map(({ value }) => value).filter(Boolean);
    const matching = rows.filter(
      (each) => each.text.includes(text) && wanted.every((fact) => each.facts.has(fact)),
    );
    const shown = isComplete ? matching : matching.slice(0, maxRows);
    body.replaceChildren(...shown.map(({ row }) => row));
    more.textContent = `Show all ${matching.length.toLocaleString('en')}`;
    more.hidden = shown.length === matching.length;
    status.textContent = `${matching.length.toLocaleString('en')} of ${rows.length.toLocaleString('en')} TLDs`;

    const query = new URLSearchParams(text ? { q: text } : {});
    for (const fact of wanted) query.append('is', fact);
    history.replaceState(history.state, '', query.size > 0 ? `?${query}` : location.pathname);
  }

  const given = new URLSearchParams(location.search);
  search.value = given.get('q') ?? '';

  for (const select of selects)
    select.value =
      given.getAll('is').find((fact) => select.querySelector(`[value="${CSS.escape(fact)}"]`)) ??
      '';

  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', () => {
    isComplete = true;
    filter();
  });
  place.replaceChildren(form, status, tableOf(body), more);
  filter();
}

function factsOf(tld) {
  return new Set([
    tld.type,
    ...tld.sources.split(' '),
    tld.proves_available === 'true' ? 'proves' : 'proves-not',
    tld.policy,
    ...published.filter((field) => tld[field] === 'true'),
    ...(tld.healthy ? [tld.healthy === 'true' ? 'healthy' : 'failing'] : []),
  ]);
}

function rowOf(tld) {
  const { tld: label, unicode, sources, registry_host: host, healthy } = tld;
  const errors = Number(tld.error_rate);
  const figures = [
    tld.p50_ms && `${tld.p50_ms} ms`,
    errors > 0 && `${Math.round(errors * 100)} % errors`,
  ].filter(Boolean);
  const head = element('th', { scope: 'row' });

  head.append(
    element('code', { textContent: `.${unicode}` }),
    small(unicode === label ? '' : label),
  );

  const row = element('tr', {});
  row.append(
    head,
    cell(sources.replaceAll(' ', ', '), host),
    cell(tld.proves_available === 'true' ? 'yes' : 'no'),
    cell(tld.policy, tld.policy_detail),
    cell(published.filter((field) => tld[field] === 'true').join(', ')),
    cell(healthy && (healthy === 'true' ? 'healthy' : 'failing'), figures.join(', ')),
  );

  // On a phone, each cell states its column.
  for (const [at, { dataset }] of [...row.cells].entries()) dataset.column = heads[at];
  return row;
}

function cell(text, note) {
  const made = element('td', { textContent: text });
  made.append(small(note));
  return made;
}

function small(text) {
  return text ? element('small', { textContent: text }) : '';
}

function tableOf(body) {
  const head = element('tr', {});
  head.append(...heads.map((textContent) => element('th', { scope: 'col', textContent })));
  const top = element('thead', {});
  top.append(head);

  const table = element('table', {});
  table.append(top, body);
  const scrolls = element('div', {
    className: 'scrolls',
    role: 'group',
    ariaLabel: 'TLDs',
    tabIndex: 0,
  });
  scrolls.append(table);

  return scrolls;
}

function createForm() {
  const search = element('input', {
    type: 'search',
    placeholder: 'Filter, such as bank or .de',
    ariaLabel: 'Filter TLDs',
    autocomplete: 'off',
    spellcheck: false,
  });
  const selects = Object.entries(filters).map(([name, values]) => {
    const select = element('select', { ariaLabel: name });
    select.append(new Option(`${name}: any`, ''));
    for (const [value, label] of Object.entries(values))
      select.append(new Option(`${name}: ${label}`, value));
    return select;
  });
  const link = element('a', {
    href: 'tlds.csv',
    download: 'tlds.csv',
    textContent: 'Download as CSV',
  });
  const form = element('form', { className: 'tld-filter' });
  form.append(search, ...selects, link);

  return { form, search, selects };
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

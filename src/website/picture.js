// The evidence of a name as a picture. The server and the page draw it with the same functions, which
// return trees of elements: `{ tag, attributes, children }`. Times are in UTC.

/** The fields of `Domain` that the picture shows. */
export const pictureFields = `
  domain unicodeName status checkedAt freshUntil stale
  evidence {
    conclusion { word rule sentence authoritySentence wouldChange }
    sources {
      source server askedAt answeredAt durationMs answer statement
      controls { kind passedAt }
    }
  }
  timeline { event from to source certainty }
`;

const statusWords = {
  AVAILABLE: 'available',
  REGISTERED: 'registered',
  RESERVED: 'reserved',
  REDEMPTION: 'in redemption',
  PENDING_DELETE: 'pending deletion',
  UNKNOWN: 'unknown',
};
const sourceNames = { rdap: 'RDAP', das: 'Availability service', whois: 'WHOIS', dns: 'DNS' };
const controlNames = {
  CANARY: 'Control: found a name that it must hold',
  REGISTERED_NAME: 'Control: found a registered name',
  RANDOM_NAME: 'Control: did not find a random name',
};
const certainties = {
  REGISTRY: 'from the registry',
  RULE: 'by a documented rule',
  ESTIMATE: 'an estimate',
};

/**
 * Returns the picture of a domain with `pictureFields`, as it is seen at a time (epoch ms). Undefined
 * without a conclusion, because nothing was looked up.
 */
export function evidencePicture(domain, now) {
  const { conclusion, sources = [] } = domain.evidence ?? {};
  if (!conclusion) return undefined;
  const { status, timeline } = domain;
  const word = conclusion.word.toLowerCase();
  return element(
    'figure',
    { class: `picture ${word}` },
    element(
      'figcaption',
      {},
      element('strong', {}, domain.unicodeName ?? domain.domain),
      ` is ${statusWords[status] ?? status}`,
      ...(word === 'unknown' ? [] : [': ', element('span', { class: 'word' }, word)]),
    ),
    answersOf(domain, now),
    sourcesChart(sources),
    timeline?.length > 0 && lifeLine(timeline, now),
  );
}

/** Answers what a reader wants to know first. */
function answersOf({ status, checkedAt, freshUntil, stale, evidence }, now) {
  const { word, rule, sentence, authoritySentence, wouldChange } = evidence.conclusion;
  const isUnknown = word === 'UNKNOWN';
  const named = evidence.sources
    .filter(({ answer }) => isUnknown || answers.test(answer))
    .map(({ source, server }) => serverName(source, server));
  const answeredAt = checkedAt ?? last(evidence.sources.map((source) => source.answeredAt));
  const age = answeredAt
    ? `Answered ${dateTime(answeredAt)}, ${duration(now - Date.parse(answeredAt))} before this picture.`
    : 'No source has answered.';
  const kept = freshUntil && `The gateway asks again after ${dateTime(freshUntil)}.`;
  return element(
    'dl',
    {},
    ...[
      [`Why ${statusWords[status] ?? status}?`, [sentence, ` (rule: ${rule})`]],
      [isUnknown ? 'Who was asked?' : 'Who said so?', [`${named.join(', ')}.`]],
      ['How old is it?', [age, stale && ' The registry could not be asked since.']],
      ['What would change it?', [wouldChange, kept && ` ${kept}`]],
      ['Is it the registry’s word?', [authoritySentence]],
    ].flatMap(([term, texts]) => [element('dt', {}, term), element('dd', {}, ...texts)]),
  );
}

/** Draws when each source was asked and answered. Controls that passed before have a zone of their own. */
function sourcesChart(sources) {
  const times = sources.flatMap(({ askedAt, answeredAt }) =>
    [askedAt, answeredAt ?? askedAt].filter(Boolean).map((each) => Date.parse(each)),
  );
  const start = Math.min(...times);
  const span = Math.max(Math.max(...times) - start, 1);
  const rows = sources.flatMap((source) => [
    sourceRow(source, start),
    ...source.controls.map((control) => controlRow(control, start)),
  ]);
  return chart({
    caption: 'Who was asked, when, and what it said',
    columns: ['Source', 'Time', 'What it said'],
    earlier: rows.some(({ marks }) => marks.some(({ from }) => from < start)),
    from: start,
    to: start + span,
    ticks: [
      { at: start, text: Number.isFinite(start) ? dateTime(start) : '' },
      { at: start + span, text: times.length > 0 ? `+${duration(span)}` : '' },
    ],
    rows,
  });
}

function sourceRow({ source, server, askedAt, answeredAt, durationMs, statement, answer }) {
  const from = Date.parse(askedAt ?? '');
  return {
    label: serverName(source, server),
    marks: askedAt
      ? [
          {
            from,
            to: Date.parse(answeredAt ?? askedAt),
            kind: answers.test(answer) ? 'said' : 'failed',
          },
        ]
      : [],
    text: `${statement}.`,
    note: askedAt
      ? `Asked ${clockTime(askedAt)}, ${answeredAt ? `answered after ${duration(durationMs)}` : 'in an earlier lookup'}`
      : 'The query was not sent',
  };
}

/** What a source says about a name. Everything else is the code of a problem. */
const answers =
  /^(?:available|registered|reserved|redemption|pending_delete|delegated|absent|has_records|unverified)$/;

function controlRow({ kind, passedAt }, start) {
  const at = Date.parse(passedAt);
  const before = duration(start - at);
  return {
    kind: 'control',
    label: controlNames[kind] ?? kind,
    marks: [{ from: at, to: at, kind: 'control' }],
    text: at < start ? `Passed ${before} earlier` : 'Passed in this lookup',
    note: dateTime(passedAt),
  };
}

/** Draws the life of a registration. */
function lifeLine(timeline, now) {
  const ends = timeline.flatMap(({ from, to }) =>
    [from, to].filter(Boolean).map((each) => Date.parse(each)),
  );
  const from = Math.min(...ends, now);
  const to = Math.max(...ends, now);
  return chart({
    caption: 'Life of the registration',
    columns: ['Event', 'Time', 'When'],
    from,
    to,
    now,
    ticks: [
      { at: from, text: day(from) },
      { at: to, text: day(to) },
    ],
    rows: timeline.map((entry) => ({
      label: sentenceCase(entry.event),
      marks: [
        {
          from: Date.parse(entry.from ?? entry.to),
          to: Date.parse(entry.to ?? entry.from),
          kind: entry.certainty.toLowerCase(),
        },
      ],
      text: period(entry),
      note: `${sentenceCase(certainties[entry.certainty] ?? entry.certainty)}: ${entry.source}`,
    })),
  });
}

function period({ from, to }) {
  if (!from) return `Until ${day(to)}`;
  if (!to) return `From ${day(from)}`;
  return day(from) === day(to) ? day(from) : `${day(from)} to ${day(to)}`;
}

/** The width of the zone for what was earlier than the axis, in percent. */
const earlierWidth = 16;

/**
 * Draws marks on a common axis as a table: each row has a label, its marks and their meaning as text,
 * so that it can be read without seeing it. Marks before the axis are drawn in a zone of their own.
 */
export function chart({ caption, columns, from, to, now, earlier = false, ticks, rows }) {
  const zone = earlier ? earlierWidth : 0;
  // Round ends need a margin.
  const at = (time) =>
    `${(time < from ? zone / 2 : 1.5 + zone + ((97 - zone) * (time - from)) / Math.max(to - from, 1)).toFixed(2)}%`;
  const line = (kind, x1, x2, y = 10) => element('line', { class: kind, x1, x2, y1: y, y2: y });
  const track = (marks) =>
    element(
      'svg',
      { 'aria-hidden': 'true', height: '20' },
      line('axis', at(from), at(to)),
      earlier && line('axis before', '0%', `${zone - 2}%`),
      now !== undefined &&
        element('line', { class: 'now', x1: at(now), x2: at(now), y1: 0, y2: 20 }),
      ...marks.map(({ kind, ...mark }) => line(`mark ${kind}`, at(mark.from), at(mark.to))),
    );
  const row = ({ label, marks, text, note, kind }) =>
    element(
      'tr',
      { role: 'row', ...(kind && { class: kind }) },
      element('th', { scope: 'row', role: 'rowheader' }, label),
      element('td', { role: 'cell', class: 'track' }, track(marks)),
      element('td', { role: 'cell' }, text, ' ', element('small', {}, note)),
    );
  const anchor = (index) => (index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle');
  return element(
    'table',
    { role: 'table' },
    element('caption', {}, caption),
    element(
      'thead',
      { role: 'rowgroup' },
      element(
        'tr',
        { role: 'row' },
        ...columns.map((name) => element('th', { scope: 'col', role: 'columnheader' }, name)),
      ),
    ),
    element('tbody', { role: 'rowgroup' }, ...rows.map(row)),
    element(
      'tfoot',
      { 'aria-hidden': 'true' },
      element(
        'tr',
        {},
        element('td', {}),
        element(
          'td',
          { class: 'track' },
          element(
            'svg',
            { height: '20' },
            ...ticks.map((tick, index) =>
              element('text', { x: at(tick.at), y: 14, 'text-anchor': anchor(index) }, tick.text),
            ),
          ),
        ),
        element('td', {}),
      ),
    ),
  );
}

/** Returns an element. Children that are false, null or undefined are left out. */
function element(tag, attributes, ...children) {
  return { tag, attributes, children: children.filter((child) => child || child === 0) };
}

/** Returns the name of a server, such as `RDAP (rdap.example.com)`. */
function serverName(source, server) {
  const host = server && /^\w+:\/\/([^/]*)/.exec(server)?.[1];
  return `${sourceNames[source] ?? source}${host ? ` (${source === 'dns' ? `zone ${host}` : host})` : ''}`;
}

function sentenceCase(text) {
  const words = text.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function last(times) {
  return times.filter(Boolean).toSorted().at(-1);
}

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

/** Returns a length of time in its largest unit, such as `3 minutes`. */
function duration(ms) {
  const [size, name] = units.find(([unit]) => ms >= unit) ?? [1, 'ms'];
  const count = Math.max(Math.round(ms / size), 0);
  return name === 'ms' ? `${count} ms` : `${count} ${name}${count === 1 ? '' : 's'}`;
}

function dateTime(time) {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function clockTime(time) {
  return `${new Date(time).toISOString().slice(11, 23)} UTC`;
}

function day(time) {
  return new Date(time).toISOString().slice(0, 10);
}

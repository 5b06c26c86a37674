import { html, prose, table, type Html, type Section } from './html.ts';

/** What it takes, and what to do when it is not enough. */
export function sizing(): readonly Section[] {
  return [
    { id: 'sizing', title: 'Sizing', body: needs() },
    { id: 'growth', title: 'Ten and a thousand times as much', body: growth() },
  ];
}

/** Of typical records, 4.5 KB as registries send them. What depends on the machine is measured by test/soak/throughput.ts and `npm run bench`. */
const figures: readonly (readonly [what: string, figure: string])[] = [
  ['A registered name that is kept, in SQLite', '8.3 KB: a million names are 8.3 GB.'],
  ['The same in PostgreSQL, which compresses it', '2.1 KB: a million names are 2.1 GB.'],
  [
    'A charge in the ledger, in SQLite, where those of one account that are committed together are one entry',
    '40 bytes: a million calls a day are 15 GB a year at most.',
  ],
  [
    'A charge in PostgreSQL, an entry each, with its index',
    '120 bytes: a million calls a day are 44 GB a year.',
  ],
  [
    'A charged answer about a name that is known, with SQLite',
    'One process gives some 15,000 a second, where the same names come again.',
  ],
  ['The same with PostgreSQL', '0.26 ms of a processor in the gateway, and 0.25 ms in PostgreSQL.'],
  [
    'Connections to PostgreSQL',
    '11 for each process at most; its own limit is 100, unless it was raised.',
  ],
];

function needs(): Html {
  return html`<p>
      Registries set the pace: by default a host is asked 10 times a second in the long run, which
      is 864,000 names a day, for all nodes behind one address together. What is kept costs next to
      nothing. So a gateway is sized by how often it answers, and a search of many names is one
      call.
    </p>
    <p>
      What your machines do, <code>test/soak/throughput.ts</code> tells: one, two and three nodes.
    </p>
    ${table(
      'Measured figures',
      ['What', 'How much'],
      figures.map((row) => row.map(prose)),
    )}`;
}

const growthSteps: readonly (readonly [what: string, tenfold: string, thousandfold: string])[] = [
  [
    'Calls',
    'One process a core, on PostgreSQL and behind a proxy, on one machine or on several. Give the search page’s callers keys of their own, so that one cannot use up the limit of all.',
    'Several fleets, each with a database of its own, by customer: an account lives in one ledger. Each charged call is one small transaction, and a database takes some ten thousand a second, whatever is in front of it.',
  ],
  [
    'Names that are new each day',
    'Ask registries for higher limits, and write what they grant into `RDAP_LIMITS`. Let callers who can wait use bulk, and `max_age`.',
    'No gateway helps: registries do not allow it. For “which names exist” take their zone files (CZDS), and ask here only for those that somebody is about to buy.',
  ],
  [
    'Names kept',
    'Nothing to do: they go after 30 days, and rows are found by name.',
    'Shorten `RECORD_DAYS`: the registry’s own object is most of a row. Put the answers’ table on disks of its own.',
  ],
  [
    'The ledger',
    'Nothing to do. Entries are never deleted, as the sum of them is the proof of each month’s count; watch the disk.',
    'Take the entries of closed months away to cheaper storage once a year, in both kinds of store by plain SQL, together with their counters.',
  ],
  [
    'Answers in memory',
    'Each process keeps its own; more memory helps only where names come again.',
    'Have the proxy send a caller to the same node again (by key), so that nodes keep different names.',
  ],
];

function growth(): Html {
  const rows = growthSteps.map((row) => row.map(prose));
  return table('What to do when there is more', ['More of', 'Ten times', 'A thousand times'], rows);
}

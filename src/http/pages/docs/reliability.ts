import { contents, html, prose, sections, table, type Html, type Section } from './html.ts';
import type { Page } from './layout.ts';

/** What may be relied upon, how that is known, and what may not. */
export function reliabilityPage(): Page {
  const parts: readonly Section[] = [
    { id: 'answers', title: 'Answers', body: promised(answers) },
    { id: 'credits', title: 'Credits', body: promised(credits) },
    { id: 'serving', title: 'Serving', body: promised(serving) },
    { id: 'nodes', title: 'Many nodes', body: promised(nodes) },
    { id: 'not-promised', title: 'What is not promised', body: notPromised },
  ];
  return {
    name: 'reliability',
    title: 'Reliability',
    body: html`${introduction}${contents(parts)}${sections(parts)}`,
  };
}

const introduction = html`<p>
  What this gateway promises, and by which tests each promise is held. They are in its repository,
  run with <code>npm test</code>, and use what is real: processes that are killed, a PostgreSQL that
  is frozen, registries that lie, browsers. Scripts in <code>test/soak</code> do the same for as
  long as one likes; their rounds stand beside them.
</p> `;

type Promised = readonly (readonly [promise: string, tests: string])[];

const answers: Promised = [
  [
    '`available: true` only on proof, whatever a registry sends.',
    '`test/verdicts.test.ts`, `test/rdap/not-found-text.test.ts`, `test/sources/raw-responses.test.ts`, `test/rdap/corpus.test.ts` (real answers of 63 servers). `test/soak/oracle.ts`: 300,000 answers from registries that fail in every third request, each compared with the truth.',
  ],
  [
    'A registry that loses its data does not make names available.',
    '`test/sources/canaries.test.ts`, and the same oracle, whose registries lose all, one TLD or a tenth of their data and recover.',
  ],
  [
    'Whatever bytes a registry or a caller sends, the answer is well-formed and no other name is harmed.',
    '`test/fuzz`, `test/registry-failures.test.ts`, `test/http/hostile-documents.test.ts`.',
  ],
  [
    'A kept “free” is never older than an hour, whatever the clock does.',
    '`test/freshness.test.ts`, `test/clock-set-back.test.ts`, and the oracle with a clock that leaps.',
  ],
  ['Both doors say the same of the same name.', '`test/doors-agree.test.ts`.'],
  [
    'No registry is asked faster than it allows, for one name by several callers only once, and not at all while it asks to be left alone.',
    '`test/throttle/host-queue.test.ts`, `test/throttle/host-limits.test.ts`, `test/one-flight.test.ts`.',
  ],
  ['No address inside your network is asked in a registry’s name.', '`test/ssrf.test.ts`.'],
];

const credits: Promised = [
  [
    'Two requests never spend the same credit; 10 credits and 1,000 requests at once grant exactly 10.',
    '`test/credits/parallel.test.ts`, `test/contracts/account-store.test.ts` (every store keeps the same promises).',
  ],
  [
    'A charge that was acknowledged survives a crash; none is doubled; what a killed process had reserved is refunded within 75 seconds.',
    '`test/credits/kill.test.ts`. `test/soak/credits-kill.ts`: 300 times `kill -9` of the whole gateway under load. `test/soak/ledger-kill.ts`: 300 times of its ledger alone.',
  ],
  [
    'No ledger, no lookup: a ledger that is broken, full or away charges nobody and serves no one who would be charged.',
    '`test/credits/ledger-away.test.ts`, `test/credits/full-disk.test.ts`.',
  ],
  [
    'Whoever closes a stream pays for what was answered or sent, and nothing else.',
    '`test/credits/cut-streams.test.ts`.',
  ],
  [
    'Keys stand in no file, log or answer.',
    '`test/credits/secrets.test.ts`: a hundred keys, and a search for each.',
  ],
  [
    'A backup that is made under load is whole, and what is restored goes on from there.',
    '`test/shipping/backup.test.ts`, for SQLite. For PostgreSQL it restores a copy that the server makes; `pg_dump` itself is not in the tests.',
  ],
];

const serving: Promised = [
  [
    'A stop loses no request that has arrived, and takes ten seconds at most, also while clients do not read or nothing reads the log. Who still waits for a registry after nine is told that it is not known.',
    '`test/stop.test.ts`, `test/main.test.ts`.',
  ],
  [
    'Under ten and a hundred times the connections that keep it busy, it goes on serving about as much as with fewer, and is as fast as before when that is over. A request that has waited for 0.8 s is rejected with `overloaded` and `Connection: close`.',
    '`test/http/overload.test.ts`; `npm run bench -- overload`.',
  ],
  [
    'No address and no key has more than a tenth of the requests in flight, and no address more than a tenth of the connections, so a client that reads nothing or pipelines without end takes nothing from others.',
    '`test/http/shares.test.ts`, `test/http/pending-responses.test.ts`.',
  ],
  [
    'One caller cannot make a registry unavailable to others by names that fail or time out, and a failing name is not sent again for 5 seconds.',
    '`test/sources/caller-isolation.test.ts`, `test/throttle/host-health.test.ts`.',
  ],
  [
    'Slow clients and open connections do not affect other clients. A response that is not read within 30 s, and another second for each 10 KB but 5 minutes in all, is cut off; so are those that have waited longest when unread responses exceed 256 MB.',
    '`test/http/slow-clients.test.ts`, `test/http/large-responses.test.ts`, `test/http/leaving-clients.test.ts`.',
  ],
  ['Memory has an end: a million names, each asked once.', '`test/soak/million-names.ts`.'],
  [
    'Without any network it starts, and says honestly what it does not know.',
    '`test/offline.test.ts`.',
  ],
];

const nodes: Promised = [
  [
    'One of several nodes is killed every two seconds under load: no credit is lost or doubled, no verdict is wrong, and no request fails but those it was about. A rolling restart fails none.',
    '`test/soak/fleet.ts`: three nodes behind a balancer, for as long as one likes; some seconds of it in `npm test`. A machine that is short of processors may turn requests away meanwhile, charging nothing; these are counted apart.',
  ],
  [
    'Credits are exact at every node; what a killed node had reserved is refunded within 75 seconds; a revoked key stops within two seconds everywhere.',
    '`test/postgres/credits.test.ts`, `test/postgres/killed-nodes.test.ts`, `test/postgres/keys.test.ts`, and the suites that hold SQLite: `test/contracts`.',
  ],
  [
    'While PostgreSQL is frozen, dead or out of connections, metered calls are refused at once, others are answered, and all recovers by itself.',
    '`test/postgres/away.test.ts`, against a real server that is stopped where it stands, killed and started again.',
  ],
  [
    'The nodes behind one address (`CLUSTER_SIZE`) together keep to what a registry allows, and all nodes back off if it returns `Retry-After` to one of them.',
    '`test/throttle/host-limits.test.ts`, `test/postgres/backoffs.test.ts`.',
  ],
];

function promised(rows: Promised): Html {
  const [first] = rows;
  return table(
    first?.[0] ?? '',
    ['Promise', 'How it is held'],
    rows.map((row) => row.map(prose)),
  );
}

const notPromised = html`<ul>
  <li>
    <strong>That you can buy a name</strong> that is available. The registry may withhold it or want
    more for it, and others may be quicker.
  </li>
  <li>
    <strong>Detection of every loss of data at a registry.</strong> A server that finds the names
    that it is checked with, and returns 404 for another that the gateway has not seen registered,
    is trusted. Checks are up to 5 minutes or 20 such answers apart.
  </li>
  <li>
    <strong>A verdict in any case.</strong> Registries fail, limit and change. Then the answer is
    that nobody knows, and why.
  </li>
  <li>
    <strong>A service without PostgreSQL</strong> for those who pay, where the gateway keeps its
    ledger there: it is one database, and as available as you make it. The gateway follows a
    failover by itself, when the address stays the same.
  </li>
  <li>
    <strong>That a commit outlives the database’s disk.</strong> A failover to a replica that had
    not received the last commits loses them, as does a restored backup. Use a replica that commits
    in step where that matters.
  </li>
  <li>
    <strong>That a request is done once.</strong> A client whose connection broke does not know
    whether it was charged. A bulk call may be repeated with its <code>Idempotency-Key</code>:
    stored answers are free, and only names that are queried again are charged. Every other repeated
    call is charged again.
  </li>
  <li>
    <strong>An exact rate limit.</strong> <code>RATE_LIMIT</code> is counted by each process, and
    forgotten when it ends. Credits are exact.
  </li>
  <li>
    <strong>Separate limits at registries for each caller.</strong> A registry limits the gateway as
    a whole. If it answers 429 or 503 with <code>Retry-After</code>, nothing is sent to this host
    until then, for any caller: up to two minutes. A caller who makes a registry send
    <code>Retry-After</code> therefore delays the others at this host.
    <code>RDAP_LIMITS</code> keeps the gateway below the limits of a registry.
  </li>
  <li>
    <strong>Defence against floods</strong> that fill the line or the connections: that is for what
    stands in front.
  </li>
</ul>`;

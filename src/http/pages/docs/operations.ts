import { codeBlock, contents, html, sections, type Html, type Section } from './html.ts';
import type { Page } from './layout.ts';
import { sizing } from './sizing.ts';
import { upkeep } from './upkeep.ts';
import { watching } from './watching.ts';

/** What whoever runs a gateway does with it, from the first day to the thousandfold. */
export function operationsPage(): Page {
  const parts: readonly Section[] = [
    { id: 'one-or-many', title: 'One machine or many', body: oneOrMany },
    { id: 'containers', title: 'Containers', body: containers },
    { id: 'proxies', title: 'Behind a proxy', body: proxies },
    ...sizing(),
    ...upkeep(),
    ...watching(),
  ];
  return {
    name: 'operations',
    title: 'Operations',
    body: html`${introduction}${contents(parts)}${sections(parts)}`,
  };
}

const introduction = html`<p>
  For whoever runs a gateway. Every setting is an environment variable; the README lists them. The
  process runs in the foreground, logs one JSON line per event to its standard output, and stops in
  order on SIGTERM: what is in flight is answered, within 10 seconds; a name whose registry has not
  answered after nine is <code>unknown</code>.
</p> `;

const oneOrMany = html`<ul>
    <li>
      <strong>One machine:</strong> <code>STORE_URL=sqlite:PATH</code>, by default. Nothing else is
      needed. Keys and credits are in the file, answers in another one beside it. Only one process
      may use the file.
    </li>
    <li>
      <strong>Several processes or machines:</strong>
      <code>STORE_URL=postgres://USER:PASSWORD@HOST:PORT/DATABASE</code>, the same for all. Tables
      are made and brought up to date at the start, whichever node is first. Run one process per
      core, each on a port of its own, behind a proxy.
    </li>
    <li>
      <strong>To try it out:</strong> <code>STORE_URL=memory:</code> forgets all when it ends.
    </li>
  </ul>
  <p>With PostgreSQL all nodes are one gateway:</p>
  <ul>
    <li>
      Credits are exact: two requests never spend the same one, wherever they arrive. A month is the
      database’s month.
    </li>
    <li>
      An answer that one node stored is used by all. Callers of one node who request the same name
      at the same moment share one request to the registry; two nodes send two.
    </li>
    <li>
      If a registry returns 429 or 503 with <code>Retry-After</code> to one node, all nodes back
      off.
    </li>
    <li>
      <strong>Counted by each process for itself</strong>: <code>RATE_LIMIT</code> (a caller whose
      connections end at three processes may ask three times as much, and set it with that in mind)
      and the answers kept in memory in front of the database.
    </li>
  </ul>
  <p>
    While PostgreSQL is away, nodes go on answering callers who are not metered from what they have
    in memory and from registries; metered calls get 503 <code>unavailable</code> at once, and
    <code>/ready</code> says no. All of it ends by itself when the database is back.
  </p>
  <p>
    <strong>Reserved credits.</strong> The price of a request is reserved before it runs. A
    reservation expires after 60 seconds; the process that holds it extends it every 15 seconds
    while the work goes on, and every process refunds expired ones as often. What a process had
    reserved when it was killed (<code>kill -9</code>) is refunded within 75 seconds, by another
    process or by the next one that starts. A line in the log says so:
    <code>refunded reservations that were not settled in time</code>. What could not be settled
    while the ledger was unavailable is refunded in the same way. A process that was suspended for
    longer charges its finished work all the same, as far as the account has credits left.
  </p>
  <p>
    <strong>Limits of registries.</strong> Registries count requests per IP address. Set
    <code>CLUSTER_SIZE=n</code> at each of n nodes that reach the internet from one address: the
    containers of one machine, or nodes behind one NAT gateway. Each node then keeps to an n-th of
    <code>RDAP_RATE</code>, <code>RDAP_CONCURRENCY</code>, the published limits and
    <code>RDAP_LIMITS</code>, whatever the others send, and to no less than one request in flight,
    one per burst and one per day. Nodes with addresses of their own need not set it. It does not
    depend on the store: gateways with SQLite files of their own behind one address set it, too.
  </p>
  <p>
    Each process keeps at most 11 connections to PostgreSQL, one of which waits for notifications. A
    transaction pooler may be used; notifications get lost there, and the nodes poll instead: they
    learn of a <code>Retry-After</code> within two seconds. A revoked key stops working within two
    seconds on every node either way.
  </p>`;

const containers = html`<p>
    <code>Dockerfile</code> makes an image that runs as a user without rights, on a root file system
    that may be read-only; with SQLite, <code>/data</code> is what must be kept.
  </p>
  ${codeBlock(
    'One gateway in a container',
    'docker build -t rdap-graphql-gateway .\ndocker run --read-only --tmpfs /tmp -v gateway-data:/data -p 4000:4000 rdap-graphql-gateway',
  )}
  <p>
    <code>compose.yaml</code> is the whole of it: two gateways, PostgreSQL, and a proxy with HTTPS.
    Its first lines say what to put into <code>.env</code>.
    <code>GATEWAYS=4 docker compose up</code> runs four gateways and sets <code>CLUSTER_SIZE</code>;
    the proxy finds them by itself. Callers need a key;
    <code>docker compose exec gateway node src/accounts/cli/keys.ts create --name alice</code> makes
    one.
  </p>
  <p>
    Without containers any supervisor will do. Have it run Node, not npm:
    <code>node --max-semi-space-size=24 --import ./src/require-node.mjs src/main.ts</code> in the
    folder of the project, restart what ends, and allow 15 seconds for stopping. The option gives
    short-lived objects more memory: without it, garbage collection makes a request take a fifth
    more CPU time. <code>ops/gateway@.service</code> is a template unit for systemd: each instance
    is one process, which listens on the port that it is named after.
  </p>
  ${codeBlock(
    'Four gateways under systemd',
    'cp ops/gateway@.service /etc/systemd/system/\nsystemctl daemon-reload\nsystemctl enable --now gateway@{4001..4004}',
  )}`;

const nginx = `location / {
  proxy_pass http://gateways;
  proxy_http_version 1.1;
  proxy_set_header Host $host;
  proxy_set_header Connection "";
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_buffering off;
  proxy_read_timeout 75s;
}`;

const proxies: Html = html`<ul>
    <li>
      <code>BASE_URL</code> is the address that callers use: links in answers are built from it,
      never from what a request says.
    </li>
    <li>
      <code>TRUSTED_PROXIES</code> are the addresses of the proxies whose
      <code>X-Forwarded-For</code> names the caller. Without it all callers share the proxy’s limit
      by address. Do not list networks in which others live: they could be anybody.
    </li>
    <li>
      <code>AUTH=required</code>, where the proxy is on the same machine: its callers may look local
      otherwise.
    </li>
    <li>
      Server-sent events, NDJSON and <code>@defer</code> must not be buffered, and may be silent for
      a minute while a name waits for its turn.
    </li>
    <li>
      Connections to the gateway that are kept open must be closed by the proxy first: after less
      than 5 seconds without a request. Let it pass over nodes whose <code>/health</code> is not
      200. <code>/ready</code> is for alerts: while PostgreSQL is away it says no at all nodes at
      once, and callers would get the proxy’s own error in place of an answer, or of the problem
      that says when to try again.
    </li>
  </ul>
  ${codeBlock('nginx', nginx)}
  <p><code>ops/Caddyfile</code> is the same for Caddy.</p>`;

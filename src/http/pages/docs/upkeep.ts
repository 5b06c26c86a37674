import { codeBlock, html, type Html, type Section } from './html.ts';

/** What has to be done from time to time. */
export function upkeep(): readonly Section[] {
  return [
    { id: 'backup', title: 'Backup and restore', body: backup() },
    { id: 'upgrade', title: 'Upgrade', body: upgrade() },
    { id: 'keys', title: 'Keys', body: keys() },
  ];
}

// Read-only: SQLite would make an empty ledger where there is none, and a backup of it.
const sqliteBackup = `npx node --eval "process.umask(0o077);
  new (require('node:sqlite').DatabaseSync)('data/gateway.db', { readOnly: true }).exec(\\"VACUUM INTO 'gateway-backup.db'\\")"`;
const sqliteRestore = `rm -f data/gateway.db data/gateway.db-wal data/gateway.db-shm data/gateway.db-last-entry
cp gateway-backup.db data/gateway.db`;
const postgresBackup = `pg_dump --format=custom --file=gateway.dump "$STORE_URL"`;
const postgresRestore = `createdb gateway_restored
pg_restore --no-owner --dbname=gateway_restored gateway.dump`;

function backup(): Html {
  return html`<p>
      What must not be lost is the ledger: accounts, hashes of keys, credits. Answers need no
      backup, as registries can be asked again (<code>gateway-answers.db</code>; in PostgreSQL the
      table <code>answers</code>).
    </p>
    <p>
      SQLite, while the gateway runs; <code>data/gateway.db</code> is the path of
      <code>STORE_URL</code>. It refuses to overwrite an older backup:
    </p>
    ${codeBlock('Backup of a SQLite ledger', sqliteBackup)}
    <p>To restore it, stop the gateway, and start it again after:</p>
    ${codeBlock('Restoring a SQLite ledger', sqliteRestore)}
    <p>
      <code>data/gateway.db-last-entry</code> says which ledger this is and what its last entry is.
      A gateway does not start with a ledger that was emptied or lacks entries, for example without
      its write-ahead log (<code>data/gateway.db-wal</code>). Deleting the file, as above, accepts
      the loss.
    </p>
    <p>
      PostgreSQL, while the gateways run, with the tools of the server’s version or a later one:
    </p>
    ${codeBlock('Backup of PostgreSQL', postgresBackup)}
    ${codeBlock('Restoring PostgreSQL into a new database', postgresRestore)}
    <p>
      A backup is as of its moment, and whole: each charge is in it or is not. What was reserved at
      that moment is refunded. A restored ledger has forgotten what came after: charges since then
      are as if they had not been, keys made since then do not work, and
      <strong>keys revoked since then work again</strong>. So revoke them anew before you start. To
      lose nothing at all, let PostgreSQL archive its log (point-in-time recovery), or keep a
      replica that commits in step.
    </p>`;
}

function upgrade(): Html {
  return html`<ul>
    <li>
      Read the changelog, make a backup, and put the new version in the place of the old, one node
      at a time: SIGTERM, wait until it has ended, start. Behind a proxy that passes over nodes that
      are gone no request fails.
    </li>
    <li>
      The first node of the new version brings the tables up to date; the others wait for it. Nodes
      of the old version that still run go on as they did, unless the changelog says that they
      refuse metered calls from then on (503, nothing charged).
    </li>
    <li>
      Migrations only go forward: an older gateway refuses a store that a newer one has brought up
      to date, in one line, and changes nothing. The way back is the backup.
    </li>
    <li>
      The answers of SQLite can be asked again, so a gateway that cannot read their file, older or
      newer, sets it aside as
      <code>gateway-answers.db.broken-…</code>, with a line in the log, and starts without them. Let
      the old process end before the new one starts, and delete what was set aside: it may hold
      contacts.
    </li>
    <li>
      PostgreSQL itself is upgraded as its manual says; a minor release is a restart, during which
      metered calls get 503.
    </li>
  </ul>`;
}

function keys(): Html {
  return html`${codeBlock(
      'The keys command',
      [
        'create --name alice --credits 50000',
        'list',
        'usage',
        'set ID --credits 90000',
        'rotate ID',
        'revoke ID',
      ]
        .map((command) => `npm run -s keys -- ${command}`)
        .join('\n'),
    )}
    <p>
      A key is shown once; the store has only its hash. <code>rotate</code> makes a new one, and the
      old one works for 24 hours more, so that its holder can change over. <code>revoke</code> stops
      all keys of an account within two seconds, on every node. <code>set</code> changes within as
      long what an account has a month (<code>--credits</code>, where <code>free</code> is
      <code>FREE_CREDITS</code>), or the pages that its keys work from (<code>--origin</code>, where
      <code>any</code> is no limit). The command uses the store that <code>STORE_URL</code> names,
      while gateways run; it may run on any machine that reaches it. Set
      <code>FREE_CREDITS</code> for it as for the gateway, or <code>usage</code> shows another
      figure.
    </p>
    <p>
      A key that was found in a public place: <code>revoke</code>, then <code>create</code>.
      <code>usage</code> says month by month what each account has used.
    </p>`;
}

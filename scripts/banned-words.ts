/** A word or phrase that the repository does not use, in all its forms, and what to write. */
interface BannedWord {
  /** In lower case; the words of a phrase are separated by single spaces. */
  readonly forms: readonly string[];
  readonly use: string;
}

/** A place where a banned word may stay. */
interface Exception {
  /** A file, or the start of a path. */
  readonly path: string;
  /** The text that may contain banned words; by default, the whole file and its path. */
  readonly text?: RegExp;
  readonly reason: string;
}

export const bannedWords: readonly BannedWord[] = [
  { forms: ['nobody'], use: 'no registry, no client, none' },
  { forms: ['somebody', 'whoever', 'whomever'], use: 'the caller, a client, the operator' },
  { forms: ['he', 'him', 'his'], use: 'it, its, the caller' },
  { forms: ['told'], use: 'reported, returned, notified, logged' },
  { forms: ['wish', 'wishes', 'wished'], use: 'lookup plan, field lookup, requested' },
  { forms: ['asked'], use: 'queried, requested, looked up, parsed' },
  { forms: ['asker', 'askers'], use: 'lookup request, caller' },
  { forms: ['lane', 'lanes'], use: 'host queue' },
  { forms: ['manners'], use: 'rate limits' },
  { forms: ['doubt', 'doubts', 'doubted'], use: 'unconfirmed, untrusted' },
  { forms: ['mended'], use: 'fixed, repaired' },
  { forms: ['witness', 'witnesses'], use: 'canary, canary monitor' },
  { forms: ['overlooked'], use: 'missed, parser bug' },
  { forms: ['farewell'], use: 'close timeout' },
  { forms: ['bury', 'buries', 'buried'], use: 'remove' },
  { forms: ['beat', 'beats'], use: 'heartbeat' },
  { forms: ['ear', 'ears'], use: 'subscription, listener' },
  { forms: ['passenger', 'passengers'], use: 'waiter, waiting caller' },
  { forms: ['board', 'boards', 'boarded'], use: 'join, add a waiter' },
  { forms: ['hurry', 'hurries', 'hurried'], use: 'raise the priority' },
  { forms: ['culprit', 'culprits'], use: 'field error' },
  { forms: ['door', 'doors'], use: 'API, endpoint, route' },
  { forms: ['house', 'houses'], use: 'architecture, module, gateway' },
  { forms: ['road', 'roads'], use: 'request path, code path' },
  { forms: ['stranger', 'strangers'], use: 'unknown host, another client' },
  { forms: ['upkeep'], use: 'maintenance' },
  { forms: ['way out', 'ways out'], use: 'exit, connection, pending deletion' },
  { forms: ['as it comes'], use: 'by default' },
  { forms: ['set aside', 'sets aside', 'setting aside'], use: 'reserved (credits), quarantined' },
  { forms: ['given back', 'gave back', 'gives back', 'give back'], use: 'refunded, returned' },
  { forms: ['stands in', 'stand in', 'stood in'], use: 'is in, is shown in, replaces' },
  { forms: ['says no', 'say no', 'said no'], use: 'rejects, returns 503' },
  // The verb "to leave" stays: these forms are the noun.
  { forms: ['a leave', 'the leave', 'no leave', 'its leave'], use: 'permit, grant' },
  { forms: ['for leave', 'of leave', 'without leave', 'by leave'], use: 'permit, grant' },
];

export const exceptions: readonly Exception[] = [
  { path: '', text: /\bas soon as it comes\b/gi, reason: 'names a time, not a default' },
  { path: 'scripts/banned-words.ts', reason: 'this list' },
  { path: 'test/shipping/vocabulary.test.ts', reason: 'samples of banned words' },
  { path: 'src/http/pages/vendor/', reason: 'code of GraphiQL and React' },
  {
    path: 'src/registries/directory/bootstrap-table.json',
    reason: 'TLDs such as .house and .beats',
  },
  { path: 'src/registries/directory/tld-table.ts', reason: 'TLDs such as .house and .beats' },
  {
    path: 'src/storage/postgres/migrations/004-no-shared-permits.sql',
    text: /\bfleet_lanes\b/g,
    reason: 'a table of an earlier release',
  },
  {
    path: 'src/sites/tech/cdn.ts',
    text: /azure-front-door|Azure Front Door/g,
    reason: 'the name of a product',
  },
  {
    path: 'src/sites/tech/server.ts',
    text: /phusion[- ]passenger/gi,
    reason: 'the name of a product',
  },
  {
    path: 'test/sites/tech/detect-technologies.test.ts',
    text: /phusion[- ]passenger/gi,
    reason: 'the name of a product',
  },
  {
    path: 'src/sites/page/schema-types.ts',
    text: /HousePainter/g,
    reason: 'a type of schema.org',
  },
  { path: 'test/bench/baselines/package-lock.json', reason: 'names of packages' },
  { path: 'test/fixtures/released.graphql', reason: 'the schema of a release never changes' },
  { path: 'test/fixtures/schema-changes.txt', reason: 'quotes the schema of a release' },
  { path: 'test/fixtures/postgres-schema-2.sql', reason: 'the database of an earlier release' },
  { path: 'docs/search-page.png', reason: 'an image' },
  { path: 'CHANGELOG.md', text: /`[^`\n]+`/g, reason: 'names in earlier releases' },
];

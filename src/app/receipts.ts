import { randomBytes } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
import { splitName, tldOf, type SplitName } from '../domain/names/domain-name.ts';
import type { Policy } from '../domain/policy.ts';
import { Problem } from '../domain/problems.ts';
import { receive } from '../outbound/client.ts';
import type { RecordedFacts } from '../receipts/payload.ts';
import { openQueue } from '../receipts/player.ts';
import { Receipts, type ReceiptsOptions } from '../receipts/receipts.ts';
import { Recorder, type Edge } from '../receipts/recorder.ts';
import { judge, outcomeOf } from '../receipts/judge.ts';
import { networkExchange } from '../registries/dns/transport.ts';
import { systemZoneResolver } from '../registries/dns/zone-servers.ts';
import type { SourceFacts } from '../registries/source-facts.ts';
import { exchangeText } from '../registries/whois/tcp-source.ts';
import type { Stores } from '../storage/open.ts';
import type { Common } from './common.ts';
import { derive, lookUpRecorded } from './recorded-lookup.ts';
import type { Sources } from './sources.ts';

/** Builds the receipts. Without a database that survives the process, there are none. */
export function buildReceipts(
  common: Common,
  { watches: database }: Pick<Stores, 'watches'>,
  sources: Sources,
  baseUrl: () => string,
): Receipts {
  const { config, clock, log, disposables } = common;
  const receipts = disposables.adopt(
    new Receipts({
      database: config.STORE_URL === 'memory:' ? undefined : database,
      clock,
      log,
      directory: sources.directory,
      software: `${packageJson.name}/${packageJson.version}`,
      baseUrl,
      days: config.RECEIPT_DAYS,
      record: recordLookup(common, sources),
      derive,
    }),
    (open) => open.stop(),
  );
  void receipts.start();

  return receipts;
}

function recordLookup(
  { config, clock, log }: Common,
  { directory, recording }: Sources,
): ReceiptsOptions['record'] {
  const { registries, sandbox, routes, query, policyOf } = recording;
  const network = {
    receive,
    exchangeText,
    exchange: networkExchange(clock),
    resolver: systemZoneResolver(),
    clock,
  };
  const ofRegistries: Edge = { ...network, ...query, exchangeText, route: routes.registries };

  const ofSandbox = (baseUrl: string): Edge => ({
    ...network,
    route: routes.sandbox(baseUrl),
    queueOf: () => openQueue,
    redirectQueueOf: () => openQueue,
  });

  return async (domain, { signal, account }, onSent) => {
    const name = splitName(domain);
    const known = sandbox.factsOf(name.suffix) ?? registries.factsOf(name);
    const resolved = directory.resolve(name);
    if (!known || 'problem' in resolved) throw new Error(`${domain} has no sources`);

    const read = await resolved.registry.readCache([{ name, detail: 'verdict', maxAge: 0 }]);
    const stored = read.get(domain);
    const cached = stored?.answer ? undefined : stored?.cached;
    const policy = policyOf(name.suffix);
    const facts: RecordedFacts = {
      ...factsIn(known),
      ...(cached && {
        stored: {
          verdict: cached.verdict.toLowerCase(),
          endpoint: cached.endpoint,
          checked_at: cached.checkedAt,
          ...(cached.expiresAt !== undefined && { expires_at: cached.expiresAt }),
        },
      }),
      policy: policyFacts(name, policy),
      timeout_ms: config.RDAP_TIMEOUT_MS,
      queue_timeout_ms: config.QUEUE_TIMEOUT_MS,
      max_unverified: query.maxUnverified,
    };
    const edge =
      tldOf(domain) === 'test' ? ofSandbox(known.learned[0]?.baseUrl ?? '') : ofRegistries;
    const recorder = new Recorder(domain, edge, onSent);
    const seed = randomBytes(16).toString('base64url');
    const startedAt = recorder.edge.clock.now();
    const queueDeadline = startedAt + config.QUEUE_TIMEOUT_MS;
    const lookup = { domain, facts, seed, edge: recorder.edge, log };
    const answer = await lookUpRecorded(lookup, { signal, account, queueDeadline });

    registries.doubtedNames.record(domain, answer.data?.verdict, answer);
    if (signal.aborted) throw new Problem('registry_busy', 'The client has disconnected.');

    return {
      facts,
      seed,
      started_at: new Date(startedAt).toISOString(),
      exchanges: [...recorder.exchanges()],
      seen: judge(outcomeOf(answer, name, policy, recorder.edge.clock.now())),
    };
  };
}

/** Returns facts in the form of a receipt. */
function factsIn({ entry, rdap, das, whois, dns, learned }: SourceFacts) {
  const { service, ...ofWhois } = whois ?? {};
  const { record: _record, ...format } = service?.format ?? {};
  const facts = {
    entry,
    rdap: rdap && {
      base_urls: rdap.baseUrls,
      trusts_not_found: rdap.trust404,
      listed: rdap.isListed,
    },
    das,
    whois: whois && { ...ofWhois, ...service, format },
    dns,
    learned: learned.map(({ baseUrl, canaries, hasFoundSuffix, mustFind }) => ({
      base_url: baseUrl,
      canaries,
      has_found_suffix: hasFoundSuffix,
      must_find: mustFind || undefined,
    })),
  };

  // Without members that are undefined.
  return JSON.parse(JSON.stringify(facts)) as Omit<RecordedFacts, 'policy'>;
}

/** Returns what a policy says that may reserve the name. Tables of letters are long. */
function policyFacts({ label }: SplitName, policy: Policy): RecordedFacts['policy'] {
  const { kind, reason, isSold, hasBaseAgreement, letters } = policy;
  const facts = { kind, reason, isSold, hasBaseAgreement };
  return JSON.parse(
    JSON.stringify(label.startsWith('xn--') ? { ...facts, letters } : facts),
  ) as RecordedFacts['policy'];
}

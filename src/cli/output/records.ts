import * as v from 'valibot';

const text = v.nullish(v.string());

/** The part of a record in the REST API that is printed as text. */
export const recordShape = v.looseObject({
  domain: v.string(),
  available: v.nullable(v.boolean()),
  status: v.string(),
  source: text,
  rdap_endpoint: text,
  cached: v.optional(v.boolean()),
  checked_at: text,
  nameservers: v.array(v.string()),
  registration: v.nullable(
    v.object({
      source: text,
      registrar: v.nullish(
        v.object({ name: text, iana_id: text, url: text, abuse_email: text, abuse_phone: text }),
      ),
      created_at: text,
      updated_at: text,
      expires_at: text,
      statuses: v.array(v.string()),
      dnssec: v.object({ signed: v.nullish(v.boolean()) }),
    }),
  ),
  problem: v.optional(v.object({ code: v.string(), detail: v.string() })),
});

export type NameRecord = v.InferOutput<typeof recordShape>;

const contact = v.nullish(v.object({ name: text, organization: text, email: text, phone: text }));

/** The part of an IP network or an AS number in the REST API that is printed as text. */
export const objectShape = v.looseObject({
  input: v.string(),
  found: v.boolean(),
  source: text,
  rdap_endpoint: text,
  cached: v.optional(v.boolean()),
  checked_at: text,
  object: v.nullable(
    v.looseObject({
      events: v.array(v.object({ action: v.string(), date: text })),
      entities: v.array(v.object({ handle: text, roles: v.array(v.string()), contact })),
    }),
  ),
});

export type ObjectRecord = v.InferOutput<typeof objectShape>;

/** The part of the list of TLDs in the REST API that is printed as a table. */
export const tldsShape = v.looseObject({
  tlds: v.array(
    v.looseObject({
      tld: v.string(),
      sources: v.array(v.looseObject({ source: v.string() })),
      proves_available: v.boolean(),
      policy: v.string(),
      publishes: v.record(v.string(), v.nullable(v.boolean())),
    }),
  ),
});

export type TldRow = v.InferOutput<typeof tldsShape>['tlds'][number];

/** The part of watches and changes in the REST API that is printed as text. */
export const watchesShape = v.looseObject({
  watches: v.array(
    v.looseObject({
      domain: v.string(),
      problem: v.nullable(v.object({ code: v.string(), detail: v.string() })),
    }),
  ),
});

export type WatchRow = v.InferOutput<typeof watchesShape>['watches'][number];

const facts = v.record(v.string(), v.unknown());
export const changeShape = v.looseObject({
  domain: v.string(),
  type: v.string(),
  seen_at: v.string(),
  before: facts,
  after: facts,
});

export type ChangeRow = v.InferOutput<typeof changeShape>;

export const changesShape = v.looseObject({
  changes: v.array(changeShape),
  next: v.nullable(v.string()),
  has_more: v.boolean(),
});

export type ChangePage = v.InferOutput<typeof changesShape>;

import * as v from 'valibot';

const text = v.nullish(v.string());

/** The part of a record in the REST API that is printed as text. */
const recordShape = v.looseObject({
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

/** Returns whether a value is the record of a name. */
export function isNameRecord(value: unknown): value is NameRecord {
  return v.is(recordShape, value);
}

import * as v from 'valibot';
import { described } from './shapes.ts';

const text = v.nullable(v.string());
const texts = v.array(v.string());

const contact = v.object({
  roles: texts,
  handle: text,
  kind: text,
  name: text,
  organization: text,
  email: text,
  phone: text,
  fax: text,
  url: text,
  address: v.nullable(
    v.object({
      street: texts,
      city: text,
      region: text,
      postal_code: text,
      country: text,
      country_code: text,
    }),
  ),
});

/** The registration of a name, with the keys of the REST API. */
export const registrationShape = v.object({
  nameservers: texts,
  source: described(
    v.string(),
    '`rdap`, or `whois`: a text of which only `registrar`, the organization of `registrant`, dates, statuses, nameservers and `signed` are read.',
  ),
  confidence: described(v.string(), '`heuristic` from WHOIS, else `authoritative`.'),
  handle: text,
  registrar: v.nullable(
    v.object({
      name: text,
      iana_id: text,
      url: text,
      abuse_email: text,
      abuse_phone: text,
    }),
  ),
  registrant: described(v.nullable(contact), 'Null if the registry does not publish it.'),
  contacts: v.array(contact),
  created_at: text,
  updated_at: text,
  expires_at: text,
  statuses: described(texts, 'RFC 8056 values, such as `client transfer prohibited`.'),
  hosts: v.array(v.object({ name: v.string(), ipv4: texts, ipv6: texts })),
  dnssec: v.object({
    signed: v.nullable(v.boolean()),
    ds_records: v.array(
      v.object({
        key_tag: v.number(),
        algorithm: v.number(),
        digest_type: v.number(),
        digest: v.string(),
      }),
    ),
  }),
  redacted: described(
    v.array(v.object({ name: text, method: v.string(), reason: text })),
    'What the registry withholds (RFC 9537).',
  ),
});

export type RegistrationContent = v.InferOutput<typeof registrationShape>;

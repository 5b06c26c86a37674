/** Selects the contact of a registration, with the keys of REST bodies. */
export const contactSelection = `
  roles handle kind name organization email phone fax phones { number types } url
  address { street city region postal_code: postalCode country country_code: countryCode }
`;

/** Selects DNSSEC data, with the keys of REST bodies. */
export const dnssecSelection =
  'dnssec { signed ds_records: dsRecords { key_tag: keyTag algorithm digest_type: digestType digest } }';

/** Selects the members of a registration, with the keys of REST bodies. */
export const registrationSelection = `
  nameservers
  source
  confidence
  handle
  registrar { name iana_id: ianaId url abuse_email: abuseEmail abuse_phone: abusePhone }
  registrant { ${contactSelection} }
  contacts { ${contactSelection} }
  created_at: createdAt
  updated_at: updatedAt
  expires_at: expiresAt
  statuses
  hosts { name ipv4 ipv6 }
  ${dnssecSelection}
  redacted { name method reason }
`;

/** Selects the life of a registration. */
export const timelineSelection = 'timeline { event from to source certainty }';

/** Selects why a verdict is what it is. */
export const evidenceSelection = `evidence {
  conclusion { word rule sentence authority authority_sentence: authoritySentence would_change: wouldChange }
  sources {
    source server asked_at: askedAt answered_at: answeredAt duration_ms: durationMs
    http_status: httpStatus answer pattern statement controls { kind passed_at: passedAt }
  }
  findings { code path detail }
  attempts { source phase ms code }
  http_status: httpStatus media_type: mediaType unproven text
}`;

/** The members of the parts of records that are words of an enum. */
const wordKeys = {
  registration: ['source', 'confidence'],
  abuse: ['source'],
  timeline: ['event', 'certainty'],
  evidence: ['word', 'authority', 'kind'],
} as const;

/** Returns a part of a record with its words as in REST bodies, where they are in lower case. */
export function withWords<T>(part: keyof typeof wordKeys, value: T): T {
  const keys: readonly string[] = wordKeys[part];
  if (Array.isArray(value)) return value.map((each) => withWords(part, each)) as T;
  if (typeof value !== 'object' || value === null) return value;

  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      keys.includes(key) && typeof each === 'string' ? each.toLowerCase() : withWords(part, each),
    ]),
  ) as T;
}

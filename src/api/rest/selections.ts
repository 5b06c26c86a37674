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

/** Returns a registration with the values of REST bodies. */
export function registrationBody<T extends Readonly<Record<'source' | 'confidence', string>>>(
  registration: T,
): T {
  const { source, confidence } = registration;
  return { ...registration, source: source.toLowerCase(), confidence: confidence.toLowerCase() };
}

/** Selects the life of a registration. */
export const timelineSelection = 'timeline { event from to source certainty }';

/** An entry of a timeline, with the values of GraphQL. */
export interface TimelineRow {
  readonly event: string;
  readonly certainty: string;
}

/** Returns a timeline with the values of REST bodies. */
export function timelineBody(timeline: readonly TimelineRow[] | null) {
  return (
    timeline?.map(({ event, certainty, ...entry }) => ({
      event: event.toLowerCase(),
      ...entry,
      certainty: certainty.toLowerCase(),
    })) ?? null
  );
}

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

/** Evidence, with the values of GraphQL. */
export interface EvidenceRow {
  readonly conclusion: { readonly word: string; readonly authority: string } | null;
  readonly sources: readonly {
    readonly source: string;
    readonly controls: readonly { readonly kind: string; readonly passed_at: string }[];
  }[];
}

/** Returns evidence with the values of REST bodies; null without any. */
export function evidenceBody(evidence: EvidenceRow | null) {
  if (!evidence) return null;

  const { conclusion, sources, ...rest } = evidence;
  return {
    conclusion: conclusion && {
      ...conclusion,
      word: conclusion.word.toLowerCase(),
      authority: conclusion.authority.toLowerCase(),
    },
    sources: sources.map(({ controls, ...source }) => ({
      ...source,
      controls: controls.map(({ kind, ...control }) => ({ kind: kind.toLowerCase(), ...control })),
    })),
    ...rest,
  };
}

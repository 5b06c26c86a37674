/** Selects the contact of a registration, with the keys of REST bodies. */
export const contactSelection = `
  roles handle kind name organization email phone fax url
  address { street city region postal_code: postalCode country country_code: countryCode }
`;

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
  dnssec { signed ds_records: dsRecords { key_tag: keyTag algorithm digest_type: digestType digest } }
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

import type { faults, SandboxServices } from './faults.ts';
import { documentationNotice } from './responses.ts';
import { rfc3339 } from './lifetime.ts';

/** How the server responds to lookups of an object: `redirect` is a 302 to the same server. */
export type ObjectBehaviour = keyof typeof faults | 'redirect';

/** What the server has at the path of a lookup. */
export interface SandboxObject {
  /** The object itself if undefined. */
  readonly behaviour?: ObjectBehaviour | undefined;
  /** Returns the object class as JSON (RFC 9083 section 5). */
  body(services: SandboxServices): object;
}

/** Returns an object that was looked up: with the members that every response has. */
export function response(object: object, services: SandboxServices) {
  return {
    rdapConformance: ['rdap_level_0', 'cidr0', 'geofeed1', 'redacted'],
    ...object,
    notices: [documentationNotice],
    events: events(services),
  };
}

/** Returns a link to an object of the sandbox, by the path of its lookup. */
export function link({ baseUrl }: SandboxServices, self: string, rel = 'self', path = self) {
  return {
    value: `${baseUrl}${self}`,
    rel,
    href: `${baseUrl}${path}`,
    type: 'application/rdap+json',
  };
}

function events({ clock }: SandboxServices) {
  return [
    { eventAction: 'registration', eventDate: '2010-01-06T00:00:00Z' },
    { eventAction: 'last changed', eventDate: '2024-02-29T12:00:00Z' },
    { eventAction: 'last update of RDAP database', eventDate: rfc3339(clock.now()) },
  ];
}

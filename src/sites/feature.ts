import type { Endpoint } from '../api/rest/endpoint.ts';
import type { SiteField } from './site-field.ts';
import type { SiteLookup } from './site-lookup.ts';

/** What can be read about sites: a field of `Site`, and all that the gateway knows of it. */
export interface Feature {
  /** What callers pay for; undefined if the field reads nothing. */
  readonly lookup?: SiteLookup;
  readonly field: SiteField;
  readonly endpoints?: readonly Endpoint[];
}

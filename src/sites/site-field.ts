import type {
  FieldRef,
  InputFieldMap,
  InputShapeFromFields,
  InterfaceFieldsShape,
} from '@pothos/core';
import type { Endpoint } from '../api/rest/endpoint.ts';
import { refusedOutcome, type Outcome } from '../domain/outcome.ts';
import type { Problem } from '../domain/problems.ts';
import type { Context } from '../execution/context.ts';
import { fieldFacts } from '../execution/field-facts.ts';
import { builder, type SchemaTypes } from '../schema/builder.ts';
import type { SiteLookup } from './site-lookup.ts';
import { resultType, siteMaxAgeDescription, sitesOf } from './site-result.ts';
import { parseSiteHost, type SiteTarget } from './site-target.ts';
import type { TlsProfile } from './tls/tls-scan.ts';

/** What the fields of `Site` are read of. */
export interface SiteParent {
  /** The host name in A-labels; an entry that is not a name is unmodified. */
  readonly domain: string;
  /** Why nothing is read about it; null for a valid name. */
  readonly refusal: Problem | null;
  /** The page that the caller named, for the lookups about a page; the home page by default. */
  readonly page?: SiteTarget;
}

export type SiteFieldBuilder = Parameters<InterfaceFieldsShape<SchemaTypes, SiteParent>>[0];

/** A field of `Site`. It has a name, so that declarations need not name one of Pothos. */
export type SiteFieldRef = FieldRef<SchemaTypes>;

export type SiteField = (t: SiteFieldBuilder) => SiteFieldRef;

/** What can be read about sites: a field of `Site`, and all that the gateway knows of it. */
export interface Feature {
  /** What callers pay for; undefined if the field reads nothing. */
  readonly lookup?: SiteLookup;
  readonly field: SiteField;
  readonly endpoints?: readonly Endpoint[];
}

export const maxAgeArg = builder.args((t) => ({
  maxAge: t.int({ description: siteMaxAgeDescription }),
}));

/** Runs a lookup of a site, with the maximum age in the plan. */
export function lookUp<T>(
  lookup: SiteLookup<T>,
  { domain, refusal, page }: SiteParent,
  context: Context,
  profile?: TlsProfile,
): Promise<Outcome<T>> {
  if (refusal) return Promise.resolve(refusedOutcome(refusal));
  return sitesOf(context).get({ lookup, profile }, page ?? parseSiteHost(domain));
}

/**
 * Declares a field with the result of a lookup, as it is or in the form that `read` returns. `args`:
 * the arguments besides `maxAge`.
 */
export function resultField<T extends object, Args extends InputFieldMap = typeof maxAgeArg>(
  type: string,
  lookup: SiteLookup<T>,
  read: ReadResult<T, Args> = (outcome) => outcome,
  args?: Args,
): SiteField {
  return (t: SiteFieldBuilder) =>
    t.field({
      type: resultType(type),
      args: { ...args, ...maxAgeArg } as Args & typeof maxAgeArg,
      extensions: fieldFacts({ cost: lookup.price }),
      resolve: async (site, values, context) =>
        read(await lookUp(lookup, site, context), values, site, context),
    });
}

type ReadResult<T, Args extends InputFieldMap> = (
  outcome: Outcome<T>,
  args: InputShapeFromFields<Args & typeof maxAgeArg>,
  site: SiteParent,
  context: Context,
) => Outcome<object>;

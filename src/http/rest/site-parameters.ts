import { Problem } from '../../domain/problems.ts';
import { pageSizeOf, type PageSizes } from '../../sites/page-request.ts';
import { parseSiteHost, parseSiteUrl } from '../../sites/site-target.ts';
import { missingParameter, readParameter, type QueryParameters } from '../messages/parameters.ts';

/** The variables of the operation for the site or page of a request. */
type TargetVariables = { readonly host: string } | { readonly url: string };

/** Which of the parameters `domain` and `url` an endpoint has. */
export type TargetParameters = 'domain' | 'url' | 'domain or url';

/** Reads the site or the page of a request. Throws a problem that names the parameter. */
export function readTarget(
  { single }: QueryParameters,
  accepted: TargetParameters,
): TargetVariables {
  const domain = accepted === 'url' ? undefined : single('domain');
  const url = accepted === 'domain' ? undefined : single('url');
  if (domain !== undefined && url !== undefined)
    throw new Problem('invalid_parameter', 'Pass either `url` or `domain`, not both.', {
      param: 'url',
    });
  if (url !== undefined) {
    readParameter('url', () => parseSiteUrl(url));
    return { url };
  }
  if (domain === undefined) throw missingParameter(accepted === 'url' ? 'url' : 'domain');
  readParameter('domain', () => parseSiteHost(domain));
  return { host: domain };
}

/** Reads `limit`, by default that of the list. Throws `invalid_parameter`. */
export function readLimit({ single }: QueryParameters, sizes: PageSizes): number {
  const text = single('limit');
  if (text === undefined) return sizes.default;
  return pageSizeOf(/^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN, sizes, 'limit');
}

/** Reads a parameter that is true or false. Throws `invalid_parameter`. */
export function readFlag(
  { single }: QueryParameters,
  param: string,
  defaultValue: boolean,
): boolean {
  const text = single(param)?.trim().toLowerCase();
  if (text === undefined) return defaultValue;
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  throw new Problem('invalid_parameter', `${param} must be true or false.`, { param });
}

/** Reads a parameter with a fixed set of values, by default the first. Throws `invalid_parameter`. */
export function readChoice<T extends string>(
  { single }: QueryParameters,
  param: string,
  values: readonly [T, ...T[]],
): T {
  const text = single(param)?.trim().toLowerCase();
  const value = text === undefined ? values[0] : values.find((each) => each === text);
  if (value === undefined)
    throw new Problem('invalid_parameter', `${param} must be one of ${values.join(', ')}.`, {
      param,
    });
  return value;
}

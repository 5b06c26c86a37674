import { missingParameter, withParam, invalidParameter } from '../domain/problems.ts';
import { parseSiteHost, parseSiteUrl } from './site-target.ts';
import { pageSizeOf, type PageSizes, type QueryParameters } from '../server/messages/parameters.ts';
import { queryParameter, type FieldParameter } from '../api/rest/parameters.ts';

const host = 'A host name, such as `example.com` or `www.example.com`.';
const domainSchema = { type: 'string', minLength: 1, examples: ['taken.test'] };
const urlSchema = { type: 'string', minLength: 1 };
const exampleUrl = { ...urlSchema, examples: ['https://taken.test/'] };
const pageUrl = 'An `http:` or `https:` URL of a host name, without port, user name and password.';
const alternatives =
  'Either it or `url` is required; it may then be a URL, and `url` takes precedence.';
/** The parameters for a site, or a page of it. */
export const targets = {
  domain: {
    required_domain: { ...queryParameter('domain', domainSchema, host), required: true },
  },
  url: { required_url: { ...queryParameter('url', exampleUrl, pageUrl), required: true } },
  'domain or url': {
    site_domain: queryParameter('domain', domainSchema, `${host} ${alternatives}`),
    url: queryParameter('url', urlSchema, pageUrl),
  },
} as const;

export const siteMaxAge = {
  site_max_age: queryParameter(
    'max_age',
    { type: 'integer', minimum: 0 },
    'Maximum age of a cached result, in seconds; `0` reads the site again. By default, results stay fresh for a day.',
  ),
};

/** Reads the site or the page of a request. Throws a problem that names the parameter. */
export function readTarget(
  { single }: QueryParameters,
  accepted: keyof typeof targets,
): { readonly host: string } | { readonly url: string } {
  const url = accepted === 'domain' ? undefined : single('url');
  const param = accepted === 'url' || url !== undefined ? 'url' : 'domain';
  const text = url ?? (param === 'domain' ? single(param) : undefined);
  if (text === undefined) throw missingParameter(param);

  // The public API takes a URL in `domain`, and a name in `url`.
  const isUrl = (param === 'url' ? /[:/]/ : /^\s*https?:\/\//i).test(text);
  if (accepted === 'url' || (accepted === 'domain or url' && isUrl)) {
    withParam(param, () => parseSiteUrl(text));
    return { url: text };
  }

  withParam(param, () => parseSiteHost(text));
  return { host: text };
}

/** A parameter of the public API for something that this gateway does not do. */
export interface UnsupportedParameter {
  /** The values that ask for what the gateway does. */
  readonly accepts: readonly string[];
  /** What the gateway does, as a sentence. */
  readonly detail: string;
}

/** Throws `invalid_parameter` if a request asks for what the gateway does not do. */
export function rejectUnsupported(
  unsupported: Readonly<Record<string, UnsupportedParameter>>,
  { single }: QueryParameters,
): void {
  for (const [param, { accepts, detail }] of Object.entries(unsupported)) {
    const value = single(param)?.trim().toLowerCase();
    if (value !== undefined && !accepts.includes(value))
      throw invalidParameter(param, `\`${param}\` is not supported: ${detail}`);
  }
}

/** Declares `limit`. Throws `invalid_parameter` if it exceeds the sizes of the list. */
export function limitParameter(component: string, sizes: PageSizes, what: string): FieldParameter {
  const schema = { type: 'integer', minimum: 1, maximum: sizes.max, default: sizes.default };
  return {
    type: 'Int',
    description: {
      [component]: queryParameter('limit', schema, `Maximum number of ${what} to return.`),
    },
    read: ({ whole }) => pageSizeOf(whole('limit'), sizes, 'limit'),
  };
}

/** Declares a parameter with a fixed set of values, by default the first. Throws `invalid_parameter`. */
export function choiceParameter(
  param: string,
  type: string,
  values: readonly [string, ...string[]],
  description: string,
): FieldParameter<string> {
  const schema = { type: 'string', enum: values, default: values[0] };
  return {
    type,
    description: { [param]: queryParameter(param, schema, description) },
    read({ single }) {
      const text = single(param)?.trim().toLowerCase();
      const value = text === undefined ? values[0] : values.find((each) => each === text);
      if (value !== undefined) return value;
      const detail = `${param} must be one of ${values.join(', ')}.`;
      throw invalidParameter(param, detail);
    },
  };
}

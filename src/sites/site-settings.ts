import * as v from 'valibot';
import { parseDomainName, type DomainName } from '../domain/names/domain-name.ts';
import { isPublicAddress } from '../outbound/public-address.ts';
import { objectShape } from '../shared/shapes.ts';
import { parseAddressPort, type HostPort } from '../domain/names/ip-address.ts';

/** Where a site is, if the operator says so. */
export interface SiteAddresses {
  /** The server of plain HTTP; the site has none without it. */
  readonly http?: HostPort;
  /** The server of HTTPS; the site has none without it. */
  readonly https?: HostPort;
  /** The path of a PEM file with the CA certificates of the site. */
  readonly caFile?: string;
}

/** What the operator configured for site lookups. */
export interface SiteSettings {
  readonly sites: ReadonlyMap<DomainName, SiteAddresses>;
  /** DNS servers that take the place of those of the system; empty for none. */
  readonly resolvers: readonly HostPort[];
}

/** The settings without a file. */
export const noSiteSettings: SiteSettings = { sites: new Map(), resolvers: [] };

const defaultPorts = { http: 80, https: 443 } as const;
const dnsPort = 53;

const siteShape = v.pipe(
  objectShape(),
  v.strictObject({
    http: v.optional(v.string()),
    https: v.optional(v.string()),
    ca: v.optional(v.string()),
  }),
);
const shape = v.object({
  sites: v.optional(v.pipe(objectShape(), v.record(v.string(), siteShape)), {}),
  resolvers: v.optional(v.array(v.string()), []),
});

const siteForm =
  'an object with some of http, https (an IP address with an optional port, such as 192.0.2.1:8443) and ca (the path of a PEM file)';
const resolversForm = 'a list of IP addresses with optional ports, such as 192.0.2.1:53';

/**
 * Parses `sites` and `resolvers` of the file of `SOURCES_FILE`. Private addresses are accepted with
 * `allowPrivate` only. Throws an Error that names the entry and what is expected.
 */
export function parseSiteSettings(document: unknown, allowPrivate: boolean): SiteSettings {
  const { success, output, issues } = v.safeParse(shape, document);
  if (!success) throw shapeError(issues[0].path?.map(({ key }) => String(key)) ?? []);

  const sites = Object.entries(output.sites).map(([name, { http, https, ca: caFile }]) => {
    const host = parseDomainName(name);
    const read = (scheme: keyof typeof defaultPorts, text: string) =>
      readAddress(text, defaultPorts[scheme], {
        name: `${scheme} of the site "${host}"`,
        form: 'an IP address with an optional port',
        allowPrivate,
      });

    return [
      host,
      {
        ...(http !== undefined && { http: read('http', http) }),
        ...(https !== undefined && { https: read('https', https) }),
        ...(caFile !== undefined && { caFile }),
      },
    ] as const;
  });
  const place = { name: 'resolvers', form: resolversForm, allowPrivate };
  const resolvers = output.resolvers.map((text) => readAddress(text, dnsPort, place));

  return { sites: new Map(sites), resolvers };
}

/** Where an address is in the file. */
interface Place {
  readonly name: string;
  readonly form: string;
  readonly allowPrivate: boolean;
}

function readAddress(text: string, defaultPort: number, { name, form, allowPrivate }: Place) {
  const address = parseAddressPort(text, defaultPort);
  if (!address) throw new Error(`${name} must be ${form}, got ${JSON.stringify(text)}`);
  if (!allowPrivate && !isPublicAddress(address.host))
    throw new Error(
      `${name}: ${JSON.stringify(text)} is not a public address; set RDAP_ALLOW_PRIVATE=true to allow it`,
    );

  return address;
}

function shapeError([member, name]: readonly string[]): Error {
  if (member === 'resolvers') return new Error(`resolvers must be ${resolversForm}`);
  return name === undefined
    ? new Error('sites must be an object that maps host names to their servers')
    : new Error(`the site "${name}" must be ${siteForm}`);
}

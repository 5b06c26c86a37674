import { formatIpNetwork } from '../domain/ip-address.ts';
import { parseReverseZone } from '../domain/reverse-zone.ts';
import { holderMembers } from './contacts.ts';
import { isDocumentationRange, networks, networkSummary } from './number-resources.ts';
import { nameservers } from './registration.ts';
import { link, response, type SandboxObject } from './responses.ts';

/** The reverse zones of the sandbox, with the handles of their networks. */
const zones: ReadonlyMap<string, string> = new Map([
  ['2.0.192.in-addr.arpa', 'NET-192-0-2-0-24-SANDBOX'],
  ['0/26.2.0.192.in-addr.arpa', 'NET-192-0-2-0-26-SANDBOX'],
  ['100.51.198.in-addr.arpa', 'NET-198-51-100-0-24-SANDBOX'],
]);

/** Returns whether a name is a reverse zone of addresses that are reserved for documentation. */
export function isDocumentationZone(name: string): boolean {
  const zone = parseReverseZone(name);
  return zone !== undefined && isDocumentationRange(formatIpNetwork(zone.network));
}

/** Returns the zone with a name; undefined if there is none. */
export function findZone(text: string): SandboxObject | undefined {
  const name = parseReverseZone(text)?.name ?? '';
  const network = networks.find(({ handle }) => handle === zones.get(name));

  return (
    network && {
      body: (services) =>
        response(
          {
            objectClassName: 'domain',
            handle: `${name.toUpperCase()}-SANDBOX`,
            ldhName: name,
            nameservers,
            secureDNS: { delegationSigned: false },
            network: networkSummary(network, services),
            status: ['active'],
            ...holderMembers(network.holder),
            links: [link(services, `domain/${encodeURIComponent(name)}`)],
          },
          services,
        ),
    }
  );
}

import type { SandboxServices } from './faults.ts';
import { registrar } from './contacts.ts';
import { nameserver, type Nameserver } from './nameserver.ts';
import { prefixBehaviour } from './prefix-behaviour.ts';
import { link, response, type SandboxObject } from './sandbox-object.ts';

/** Returns the nameserver with a lower-case name; undefined if there is none. */
export function findNameserver(name: string): SandboxObject | undefined {
  const behaviour = prefixBehaviour(name);
  const host = behaviour
    ? { ...nameserver(2), ldhName: name }
    : [nameserver(1), nameserver(2)].find(({ ldhName }) => ldhName === name);
  return host && { behaviour, body: (services) => nameserverBody(host, services) };
}

function nameserverBody(host: Nameserver, services: SandboxServices) {
  const handle = `${host.ldhName.toUpperCase()}-SANDBOX`;
  return response(
    {
      ...host,
      handle,
      entities: [registrar],
      links: [link(services, `nameserver/${host.ldhName}`)],
    },
    services,
  );
}

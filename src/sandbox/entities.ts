import type { SandboxServices } from './faults.ts';
import { registrant } from './contacts.ts';
import { autnums, autnumSummary } from './autnums.ts';
import { entityRow, type EntityRow } from './known-entities.ts';
import { networks } from './network-table.ts';
import { networkSummary } from './networks.ts';
import { prefixBehaviour } from './prefix-behaviour.ts';
import { link, response, type SandboxObject } from './sandbox-object.ts';

/** Returns the entity with a handle in any case; undefined if there is none. */
export function findEntity(rawHandle: string): SandboxObject | undefined {
  const handle = rawHandle.toUpperCase();
  const behaviour = prefixBehaviour(handle);
  const row = behaviour ? { ...personWithoutRole(), handle } : entityRow(handle);
  return row && { behaviour, body: (services) => entityBody(row, services) };
}

function entityBody(row: EntityRow, services: SandboxServices) {
  const isHeld = ({ holder }: { holder: string }) => holder === row.handle;
  const held = {
    networks: networks.filter(isHeld).map((network) => networkSummary(network, services)),
    autnums: autnums.filter(isHeld).map((autnum) => autnumSummary(autnum, services)),
  };
  return response(
    {
      ...row,
      status: ['active'],
      ...(held.networks.length > 0 && { networks: held.networks }),
      ...(held.autnums.length > 0 && { autnums: held.autnums }),
      links: [link(services, `entity/${row.handle}`)],
    },
    services,
  );
}

function personWithoutRole(): EntityRow {
  const { roles: _role, ...person } = registrant(0);
  return person;
}

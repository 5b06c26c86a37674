import { faults, type Fault, type SandboxServices } from './faults.ts';
import { sandboxRegistration, type SandboxPhase } from './registration.ts';
import { rdap, rdapError, type SandboxResponse } from './responses.ts';
import { contradictedSuffix } from './suffixes.ts';

type Behaviour = (
  name: string,
  services: SandboxServices,
) => SandboxResponse | Promise<SandboxResponse>;

/** Behaviours by the prefix of the label. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  taken: registered('current'),
  reserved: () =>
    rdapError(404, 'Reserved', 'This name is not available for registration: registry reserved.'),
  redemption: registered('redemption'),
  pending: registered('pending delete'),
  slow: faulty(faults.slow),
  busy: faulty(faults.busy),
  down: faulty(faults.down),
  html: faulty(faults.html),
  hang: faulty(faults.hang),
};

/** Creates the function that responds to lookups of a lower-case A-label name under `.test`. */
export function sandboxResponder(
  services: SandboxServices,
): (name: string) => SandboxResponse | Promise<SandboxResponse> {
  const table = Object.entries(behaviours);
  return (name) => {
    if (name.endsWith(`.${contradictedSuffix}`)) return unregistered(name, services);
    const [, behaviour = unregistered] = table.find(([prefix]) => name.startsWith(prefix)) ?? [];
    return behaviour(name, services);
  };
}

function registered(phase: SandboxPhase): Behaviour {
  return (name, { baseUrl, clock }) => rdap(200, sandboxRegistration(name, phase, baseUrl, clock));
}

function faulty(fault: Fault): Behaviour {
  return (name, services) => fault(name, services, () => registered('current')(name, services));
}

const unregistered: Behaviour = () => rdapError(404, 'Not Found', 'No such domain.');

import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import { askerKinds, unanswered, type Answer, type Asker, type AskerKind, type Question } from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import { attending } from './waits.ts';

/** Must not reject. */
export type LookUp = (question: Question, asker: Asker) => Promise<Answer>;

/** Registry lookups under way, one a name in the whole process. */
export interface Flights {
  /** Joins the lookup of this name that is under way, or starts one with `lookUp`. Never rejects; settles when the asker leaves, too. */
  join(question: Question, asker: Asker, lookUp: LookUp): Promise<Answer>;
  /** From now on nobody waits: each who does is told that it is not known. For a process that ends. */
  end(): void;
  /** How many there are. */
  readonly underWay: number;
}

export function createFlights(clock: Clock): Flights {
  const flights = new Map<DomainName, Flight>();
  const attend = attending(clock);
  let ended = false;

  function start(question: Question, asker: Asker, lookUp: LookUp): Flight {
    const { name } = question;
    const flight = takeOff(asker);
    flights.set(name, flight);
    // The whole record is asked for in any case: whoever joins may want it.
    void lookUp(question, flight.asker).then((answer) => {
      if (flights.get(name) === flight) flights.delete(name);
      const waiting = Array.from(flight.passengers.keys());
      flight.passengers.clear();
      for (const tell of waiting) tell(answer);
    });
    return flight;
  }

  function leave(name: DomainName, flight: Flight, tell: Tell): void {
    flight.passengers.delete(tell);
    if (flight.passengers.size > 0) return hurry(flight);
    if (flight.sent) return;
    // Nobody waits for it and it is not yet sent: it gives its place in the queue back.
    if (flights.get(name) === flight) flights.delete(name);
    flight.abandoned.abort();
  }

  return {
    get underWay() {
      return flights.size;
    },
    join(question, asker, lookUp) {
      const { name } = question;
      if (asker.signal.aborted) return Promise.resolve(left());
      if (ended) return Promise.resolve(tooLate());
      const joined = flights.get(name);
      const flight = joined ?? start(question, asker, lookUp);
      return new Promise((resolve) => {
        const done = (answer: Answer) => {
          endWait();
          leave(name, flight, done);
          resolve(answer);
        };
        // Who joins a flight that may wait longer than he can is told so in his own time.
        const endWait = attend(asker, { left: () => done(left()), late: () => !flight.sent && done(tooLate()) });
        board(flight, asker, done);
        if (joined) asker.onJoined?.(name);
        if (flight.sent) asker.onSent?.(name, joined !== undefined);
      });
    },
    end() {
      ended = true;
      for (const { sent, passengers } of flights.values()) {
        for (const tell of passengers.keys()) tell(sent ? unheard() : tooLate());
      }
    },
  };
}

type Tell = (answer: Answer) => void;

interface Flight {
  /** Who waits, by how to tell him. */
  readonly passengers: Map<Tell, Asker>;
  readonly abandoned: AbortController;
  readonly asker: FlightAsker;
  sent: boolean;
}

/**
 * Asks for all who wait: as urgent as the most urgent of them, and as patient as the most patient who ever joined, as each is told in his own
 * time. Plain values, which cost a lane little to read of everybody in its queue.
 */
interface FlightAsker extends Asker {
  sendBy: number;
  kind: AskerKind;
}

function takeOff({ account, sendBy, kind }: Asker): Flight {
  const abandoned = new AbortController();
  const passengers: Flight['passengers'] = new Map();
  const onSent = (name: DomainName, joined = false) => {
    flight.sent = true;
    // The lookup is sent for the first that still waits; the others have joined it.
    Array.from(passengers.values()).forEach((passenger, index) => passenger.onSent?.(name, joined || index > 0));
  };
  const onJoined = (name: DomainName) => {
    for (const passenger of passengers.values()) passenger.onJoined?.(name);
  };
  const asker: FlightAsker = { signal: abandoned.signal, account, sendBy, kind, onSent, onJoined };
  const flight: Flight = { passengers, abandoned, asker, sent: false };
  return flight;
}

function board(flight: Flight, passenger: Asker, tell: Tell): void {
  flight.passengers.set(tell, passenger);
  flight.asker.sendBy = Math.max(flight.asker.sendBy, passenger.sendBy);
  hurry(flight);
}

/** Settles how urgent it is, now that others wait for it. */
function hurry({ passengers, asker }: Flight): void {
  let most = Infinity;
  for (const { kind } of passengers.values()) most = Math.min(most, askerKinds.indexOf(kind));
  asker.kind = askerKinds[most] ?? asker.kind;
}

const left = () => unanswered(new Problem('registry_busy', 'The caller left before the question was sent.'));
const tooLate = () => unanswered(new Problem('registry_busy', 'The question could not be sent in time; ask again.', { retryAfter: 1 }));
const unheard = () =>
  unanswered(new Problem('registry_timeout', 'The gateway is stopping, and the registry has not answered yet; ask again.'));

import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import { askerKinds, unanswered, type Answer, type Asker, type Question } from '../domain/registry.ts';
import { Problem } from '../problems.ts';

/** Registry lookups under way, one a name in the whole process. */
export interface Flights {
  /** Joins the lookup of this name that is under way, or starts one with `lookUp`. Never rejects; settles when the asker leaves, too. */
  join(question: Question, asker: Asker, lookUp: (question: Question, asker: Asker) => Promise<Answer>): Promise<Answer>;
  /** How many there are. */
  readonly underWay: number;
}

export function createFlights(clock: Clock): Flights {
  const flights = new Map<DomainName, Flight>();

  function start(question: Question, asker: Asker, lookUp: (question: Question, asker: Asker) => Promise<Answer>): Flight {
    const { name } = question;
    const abandoned = new AbortController();
    const flight: Flight = { passengers: new Set([asker]), sent: false, abandoned, answer: Promise.resolve(left()) };
    flights.set(name, flight);
    // The whole record is asked for in any case: whoever joins may want it.
    flight.answer = lookUp(question, flightAsker(flight)).finally(() => {
      if (flights.get(name) === flight) flights.delete(name);
    });
    return flight;
  }

  function leave(name: DomainName, flight: Flight, asker: Asker): void {
    flight.passengers.delete(asker);
    if (flight.passengers.size > 0 || flight.sent) return;
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
      const flight = flights.get(name) ?? start(question, asker, lookUp);
      flight.passengers.add(asker);
      if (flight.sent) asker.onSent?.(name);
      return new Promise((resolve) => {
        const done = (answer: Answer) => {
          cancelTimer();
          asker.signal.removeEventListener('abort', onAbort);
          leave(name, flight, asker);
          resolve(answer);
        };
        const onAbort = () => done(left());
        // Who joins a flight that may wait longer than he can is told so in his own time.
        const cancelTimer = clock.after(asker.sendBy - clock.now() + 1, () => !flight.sent && done(tooLate()));
        asker.signal.addEventListener('abort', onAbort, { once: true });
        void flight.answer.then(done);
      });
    },
  };
}

interface Flight {
  readonly passengers: Set<Asker>;
  readonly abandoned: AbortController;
  sent: boolean;
  answer: Promise<Answer>;
}

/** Asks for all who wait: as patient as the most patient of them, as urgent as the most urgent, also of those who join later. */
function flightAsker(flight: Flight): Asker {
  const passengers = () => Array.from(flight.passengers);
  const [first] = passengers();
  return {
    signal: flight.abandoned.signal,
    account: first?.account ?? '',
    get sendBy() {
      return Math.max(...passengers().map(({ sendBy }) => sendBy));
    },
    get kind() {
      return askerKinds.find((kind) => passengers().some((asker) => asker.kind === kind)) ?? 'bulk';
    },
    onSent(name) {
      flight.sent = true;
      for (const passenger of flight.passengers) passenger.onSent?.(name);
    },
  };
}

const left = () => unanswered(new Problem('registry_busy', 'The caller left before the question was sent.'));
const tooLate = () => unanswered(new Problem('registry_busy', 'The question could not be sent in time; ask again.', { retryAfter: 1 }));

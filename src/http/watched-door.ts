import type { Clock } from '../clock.ts';
import { problems } from '../problems.ts';
import type { Call, Reply } from './call.ts';
import type { Doors } from './doors.ts';
import { asProblem } from './problem.ts';

/** Told of every request and what became of it. */
export interface RequestWatch {
  /** `code` is a problem's, or `ok`; `ms` until the answer began, where the request was read. */
  answered(door: string, status: number, code: string, ms?: number): void;
  streamOpened(): void;
  streamEnded(door: string, end: 'whole' | 'cut'): void;
}

/** The same doors, watched. */
export function watchedDoors(doors: Doors, clock: Clock, watch: RequestWatch): Doors {
  const nameOf = (path: string) => doorName(doors.routeOf(path));
  return {
    ...doors,
    async answer(call) {
      const startedAt = clock.elapsed();
      const told = (status: number, code: string) => watch.answered(nameOf(call.path), status, code, clock.elapsed() - startedAt);
      try {
        const reply = await doors.answer(call);
        told(reply.status, reply.code ?? 'ok');
        if (isStream(reply)) watchStream(nameOf(call.path), call, watch);
        return reply;
      } catch (error) {
        const { status, code } = asProblem(error);
        told(status, code);
        throw error;
      }
    },
    rejectOverloaded(request, response, path) {
      watch.answered(nameOf(path), problems.overloaded.status, 'overloaded');
      doors.rejectOverloaded(request, response, path);
    },
    renderParseError(problem, requestId) {
      watch.answered(nameOf(''), problem.status, problem.code);
      return doors.renderParseError(problem, requestId);
    },
  };
}

/** One of few, whatever is asked for. */
function doorName(route: string | undefined): string {
  if (route === undefined) return 'none';
  return /^\/(?:graphql|health|ready|metrics|v1\/.*)$/.test(route) ? route : 'pages';
}

function isStream({ body }: Reply): boolean {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

function watchStream(door: string, { signal, whenDone }: Call, watch: RequestWatch): void {
  watch.streamOpened();
  whenDone(() => watch.streamEnded(door, signal().aborted ? 'cut' : 'whole'));
}

import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Instruments } from '../metrics/instruments.ts';
import type { Tracer } from '../tracing/open.ts';

/** The dependencies that all builders in this folder share. */
export interface Common {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly instruments: Instruments;
  readonly tracing: Tracer;
  /** Closes the parts in reverse order of their construction. */
  readonly disposables: AsyncDisposableStack;
}

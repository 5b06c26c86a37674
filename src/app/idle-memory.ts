import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const checkMs = 1000;
/** The share of the time between two checks in which the event loop of an idle process runs. */
const idleShare = 0.05;
const idleChecks = 3;
/** The heap of a gateway that answers single requests grows by less. */
const minGrowthBytes = 64 * 2 ** 20;

/**
 * Has V8 allocate all objects in the young generation. It would allocate those of some places in the
 * code in the old one, once many of them have outlived a collection, as what requests in flight hold
 * does. They are then kept until the next full collection, with everything that they reference.
 */
export function keepNewObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Collects garbage when the process has been idle for three seconds after a burst: V8 collects when
 * memory is allocated, so the heap of an idle process stays as large as the burst has left it. The
 * collection takes a quarter of a second.
 */
export function collectWhenIdle(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  let checked = performance.eventLoopUtilization();
  let smallest = heapSize();
  let idleFor = 0;

  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(checked);
    checked = performance.eventLoopUtilization();
    smallest = Math.min(smallest, heapSize());
    idleFor = utilization > idleShare ? 0 : idleFor + 1;
    if (idleFor < idleChecks || heapSize() < smallest + minGrowthBytes) return;

    // Other collections keep the pages that they have emptied.
    collect({ type: 'major', flavor: 'last-resort' });
    smallest = heapSize();
  }, checkMs).unref();
}

function heapSize(): number {
  return getHeapStatistics().total_heap_size;
}

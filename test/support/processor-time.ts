import { readdirSync, readFileSync } from 'node:fs';

/** A process and all that it started. Linux alone. */
export function processTree(pid: number): readonly number[] {
  const children = allProcesses().filter((each) => fieldsOf(each)[1] === String(pid));
  return [pid, ...children.flatMap(processTree)];
}

/** Processor time that these have taken so far; nothing for one that has ended. */
export function processorSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / 100;
}

/** The PostgreSQL that was started with this port. */
export function serverAt(port: string): number {
  const found = allProcesses().find((pid) => contentOf(pid, 'cmdline').includes(`\0-p\0${port}\0`));
  if (found === undefined) throw new Error(`nobody listens at ${port}`);
  return found;
}

function ticksOf(pid: number): number {
  const fields = fieldsOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** From the state on: the name before it may hold anything. */
function fieldsOf(pid: number): readonly string[] {
  return (/\) (.*)$/.exec(contentOf(pid, 'stat'))?.[1] ?? '').split(' ');
}

const allProcesses = () =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);

function contentOf(pid: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').trimEnd();
  } catch {
    return ''; // it has ended
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/** Returns a process and its descendants. Linux only. */
export function processTree(pid: number): readonly number[] {
  const children = allProcesses().filter((each) => fieldsOf(each)[1] === String(pid));
  return [pid, ...children.flatMap(processTree)];
}

/**
 * Returns the CPU time of processes and their ended children so far; 0 for one that has exited.
 */
export function processorSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) / 100;
}

/** Returns the PostgreSQL process that was started with this port. */
export function postgresAt(port: string): number {
  const found = allProcesses().find((pid) => contentOf(pid, 'cmdline').includes(`\0-p\0${port}\0`));
  if (found === undefined) throw new Error(`No process was started with port ${port}.`);
  return found;
}

function ticksOf(pid: number): number {
  const fields = fieldsOf(pid);
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

/** Returns the fields from the state on; the name before it may contain any character. */
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
    return ''; // the process has exited
  }
}

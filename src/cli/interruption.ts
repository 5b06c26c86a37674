const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `restore` when a signal ends the process, which it then does as by default, so that a shell
 * script ends too. Returns a function that removes the handler.
 */
export function onInterruption(restore: () => void): () => void {
  const handle = (signal: NodeJS.Signals) => {
    remove();
    restore();
    process.kill(process.pid, signal);
  };
  const remove = () => signals.forEach((signal) => process.off(signal, handle));
  for (const signal of signals) process.on(signal, handle);
  return remove;
}

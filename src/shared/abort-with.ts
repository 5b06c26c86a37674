/**
 * Aborts a controller as soon as one of these signals is aborted, with its reason. Listens to them
 * until the controller is aborted, because they may outlive it. Takes a tenth of the time of
 * `AbortSignal.any`, which takes 10 µs.
 */
export function abortWith(controller: AbortController, ...signals: readonly AbortSignal[]): void {
  const aborted = [controller.signal, ...signals].find((signal) => signal.aborted);
  if (aborted) return controller.abort(aborted.reason);

  const abort = () => controller.abort(signals.find((signal) => signal.aborted)?.reason);
  const stop = () => signals.forEach((signal) => signal.removeEventListener('abort', abort));
  for (const signal of signals) signal.addEventListener('abort', abort);
  controller.signal.addEventListener('abort', stop);
}

/** Where a command runs. */
export interface Surroundings {
  /** Environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder for cached answers; undefined if there is none. */
  readonly cacheFolder: string | undefined;
}

import type { RobotsFile } from '../../../domain/site/robots/robots-file.ts';
import { isAllowed } from '../../../domain/site/robots/robots-rules.ts';

/** The name of the gateway in `User-Agent` and in the groups of a robots.txt. */
export const productToken = 'rdap-gateway';

/** Returns whether a robots.txt allows this gateway to request a URL of its origin. */
export function allowsUrl(robots: RobotsFile, { pathname, search }: URL): boolean {
  return isAllowed(robots, pathname + search, productToken);
}

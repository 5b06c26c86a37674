import { oncePerObject } from '../certificates/once-per-object.ts';
import type { RobotsFile } from './robots-file.ts';
import { CrawlerRules } from './robots-rules.ts';

/** The name of the gateway in `User-Agent` and in the groups of a robots.txt. */
export const productToken = 'rdap-gateway';

const rulesOf = oncePerObject((robots: RobotsFile) => new CrawlerRules(robots, productToken));

/** Returns whether a robots.txt allows this gateway to request a URL of its origin. */
export function allowsUrl(robots: RobotsFile, { pathname, search }: URL): boolean {
  return rulesOf(robots).allows(pathname + search);
}

import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Returns the path of a file in a package of this folder. Throws if it is not installed. */
export function toolPath(packageName: string, file: string): string {
  const packageJson = findPackageJSON(packageName, import.meta.url);
  if (packageJson === undefined) throw new Error(`The package ${packageName} is not installed.`);
  return join(dirname(packageJson), file);
}

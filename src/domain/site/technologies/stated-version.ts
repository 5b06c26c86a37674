/** A version of at most 40 characters, after at most three separators. */
const versionAtStart = /^[\s/]{0,3}v?(\d[\w.+-]{0,39})/i;
const wholeVersion = /^v?(\d[\w.+-]{0,39})$/i;

/** Words that name a build of a script. */
const buildWords = new Set([
  'js', 'mjs', 'min', 'slim', 'bundle', 'prod', 'production', 'development', 'dev', 'esm', 'umd', 'global', 'runtime', 'module', 'all', 'full', 'core', 'pkgd', 'iife', 'browser', 'dist',
]); // prettier-ignore

/** Returns the version at the start of a text, such as `1.25.3` in `/1.25.3 (Ubuntu)`; else null. */
export function versionIn(text: string): string | null {
  return versionAtStart.exec(text.slice(0, 60))?.[1] ?? null;
}

/**
 * Compares the last segment of a path to the name of a script. Returns the version if the file name,
 * or the segment before it on a CDN states it, null if none does, and undefined for another script.
 */
export function scriptVersion(path: string, name: string): string | null | undefined {
  const segments = path.toLowerCase().split('/');
  const file = segments.at(-1) ?? '';
  if (!file.startsWith(name)) return undefined;
  const version = versionInFile(file.slice(name.length));
  if (version !== null) return version;
  // `/npm/jquery@3.7.1/dist/jquery.js`, and `/jquery/3.7.1/jquery.js`.
  const atName = segments.find((segment) => segment.startsWith(`${name}@`));
  if (atName !== undefined) return versionIn(atName.slice(name.length + 1));
  return segments.map((segment) => wholeVersion.exec(segment)?.[1]).find(Boolean) ?? null;
}

/** Returns undefined unless the rest of a file name is a version, names of builds and `.js`. */
function versionInFile(rest: string): string | null | undefined {
  if (!/^[.-]/.test(rest) || !/\.m?js$/.test(rest)) return undefined;
  const parts = rest.slice(1).split(/[.-]/);
  if (!parts.every((part) => isNumber(part) || buildWords.has(part))) return undefined;
  const numbers = parts.filter(isNumber).map((part) => part.replace('v', ''));
  return numbers.length > 0 ? numbers.slice(0, 4).join('.') : null;
}

function isNumber(part: string): boolean {
  return /^v?\d{1,10}$/.test(part);
}

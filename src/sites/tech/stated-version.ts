/** A version of at most 40 characters, after at most three separators. */
const versionAtStart = /^[\s/]{0,3}v?(\d[\w.+-]{0,39})/i;

/**
 * A version of a script needs a dot: a single number is as often a hash or a date, such as in
 * `vue.4821.js` or `/20240115/`.
 */
const wholeVersion = /^v?(\d{1,10}(?:\.\d{1,10}){1,3}(?:-[\w.]{1,20})?)$/;
const versionInName = /[.-]v?(\d{1,10}(?:\.\d{1,10}){1,3})(?=[.-])/;

/** Words that name a build of a script. */
const buildWords = new Set([
  'js', 'mjs', 'min', 'slim', 'bundle', 'prod', 'production', 'development', 'dev', 'esm', 'umd', 'global', 'runtime', 'module', 'all', 'full', 'core', 'pkgd', 'iife', 'browser', 'dist',
]); // prettier-ignore

/** Returns the version at the start of a text, such as `1.25.3` in `/1.25.3 (Ubuntu)`; else null. */
export function versionIn(text: string): string | null {
  return versionAtStart.exec(text.slice(0, 60))?.[1] ?? null;
}

/** Returns what follows `start` in a text if it ends there or a separator follows; else undefined. */
export function restAfter(text: string, start: string): string | undefined {
  if (!text.toLowerCase().startsWith(start.toLowerCase())) return undefined;
  const rest = text.slice(start.length);
  return rest === '' || /^[\s/,;:()!|]/.test(rest) ? rest : undefined;
}

/** What the path of a script states about the product of its file name. */
interface NamedScript {
  readonly version: string | null;
  /** Whether it has a version, is minified or bundled, or belongs to a package of this name. */
  readonly isBuild: boolean;
}

/**
 * Compares the last segment of a path to the name of a script. The version is in the file name, or in
 * the segments of a CDN. Returns undefined for another script.
 */
export function namedScript(path: string, name: string): NamedScript | undefined {
  const segments = path.toLowerCase().split('/');
  const file = segments.at(-1) ?? '';
  if (!file.startsWith(name)) return undefined;
  const rest = file.slice(name.length);
  if (!isEndOfFileName(rest)) return undefined;
  const ofPackage = packageVersion(segments, name);
  const version = versionInName.exec(rest)?.[1] ?? ofPackage ?? directoryVersion(segments, name);
  const isBuild =
    version !== null || ofPackage !== undefined || /[.-](?:min|bundle)[.-]/.test(rest);
  return { version, isBuild };
}

/** Returns whether the rest of a file name is numbers, names of builds and `.js`. */
function isEndOfFileName(rest: string): boolean {
  if (!/^[.-]/.test(rest) || !/\.m?js$/.test(rest)) return false;
  return rest
    .slice(1)
    .split(/[.-]/)
    .every((part) => buildWords.has(part) || /^v?\d{1,10}$/.test(part));
}

/** Returns the version in `/npm/jquery@3.7.1/`: null for a range or tag, undefined without `@`. */
function packageVersion(segments: readonly string[], name: string): string | null | undefined {
  for (const segment of segments) {
    const at = segment.indexOf('@', 1);
    if (at !== -1 && isName(segment.slice(0, at), name))
      return wholeVersion.exec(segment.slice(at + 1))?.[1] ?? null;
  }
  return undefined;
}

/** Returns the version in `/jquery/3.7.1/`: other directories may have versions of their own. */
function directoryVersion(segments: readonly string[], name: string): string | null {
  for (const [index, segment] of segments.entries()) {
    const version = wholeVersion.exec(segment)?.[1];
    if (version !== undefined && isName(segments[index - 1] ?? '', name)) return version;
  }
  return null;
}

/** `jquery-ui` is in the directory `jqueryui` of cdnjs, and `angular` in `angular.js`. */
function isName(directory: string, name: string): boolean {
  return plainName(directory) === plainName(name);
}

function plainName(text: string): string {
  return text.replaceAll(/[^a-z0-9]/g, '').replace(/js$/, '');
}

import { isAbsolute, join } from 'node:path';

/**
 * Returns the folder for this program in the user's cache folder: in `XDG_CACHE_HOME` (XDG Base
 * Directory Specification), or else in that of the platform. Returns undefined if the user has none.
 */
export function cacheFolder(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: localAppData, HOME: home } = environment;
  const parent = [xdg, platform === 'win32' ? localAppData : homeCache(platform, home)].find(
    // The specification requires relative paths to be ignored.
    (path) => path && isAbsolute(path),
  );
  return parent && join(parent, 'rdap-gateway');
}

function homeCache(platform: NodeJS.Platform, home: string | undefined): string | undefined {
  return home && join(home, platform === 'darwin' ? 'Library/Caches' : '.cache');
}

import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The environment of child processes, in which Node.js stores compiled modules: the tests start the
 * gateway and its commands more than a hundred times.
 */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), 'rdap-gateway-compile-cache') };

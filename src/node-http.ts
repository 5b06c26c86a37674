// An import reads every export, and to read `WebSocket` Node loads an undici of its own, which takes as long as all else that it loads.
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

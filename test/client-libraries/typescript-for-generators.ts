// Preloaded by generators that need TypeScript's own API, which TypeScript 7 does not have: they get the TypeScript of this folder.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      specifier === 'typescript' ? { ...context, parentURL: import.meta.url } : context,
    ),
});

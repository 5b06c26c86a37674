// Preloaded into generators that need TypeScript's JavaScript API, which TypeScript 7 lacks:
// resolves `typescript` to the version installed in this folder.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      specifier === 'typescript' ? { ...context, parentURL: import.meta.url } : context,
    ),
});

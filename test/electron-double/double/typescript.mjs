/** Lets plain Node find our modules as they are imported here: without the ending of their names. */
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const ours = specifier.startsWith('.') && context.parentURL?.includes('/test/');
    return next(ours && !/\.\w+$/.test(specifier) ? `${specifier}.ts` : specifier, context);
  },
});

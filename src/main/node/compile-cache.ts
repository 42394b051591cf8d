import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Lets Node keep the compiled form of all code loaded from now on, and take it from there at the next start. It lies beside
 * the build it belongs to (`mainFolder` is the folder of the entry files), so it is replaced together with it, and
 * whoever could change it could change the code itself. Where that cannot be written, nothing is kept.
 */
export function keepCompiledCode(mainFolder: string): void {
  enableCompileCache(join(mainFolder, '..', '.compile-cache'));
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Where the packages keep their WebAssembly files. */
const PLACES = {
  'web-tree-sitter.wasm': 'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash.wasm': 'tree-sitter-bash/tree-sitter-bash.wasm',
} as const;

/** The bytes of a WebAssembly file that came with a package, by name. Rejects when the package is not there. */
export const loadWasm = async (name: keyof typeof PLACES): Promise<Uint8Array> =>
  readFile(createRequire(import.meta.url).resolve(PLACES[name]));

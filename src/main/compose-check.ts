import type { Whereabouts } from './engine/permissions/rule-match';
import { dialectOf } from './engine/permissions/shell-analysis/dialect';
import { createShellParser } from './engine/permissions/shell-analysis/parser';
import type { Files } from './engine/ports';
import { createBuiltinTools } from './engine/tools/builtin/all';
import { findTool, fixedSource } from './engine/tools/catalogue';
import { createNeedsByName } from './engine/tools/foreign-tools';
import type { RawInput } from './engine/tools/needs';
import { createNodeFiles } from './node/files';
import { homeFolder } from './node/home-folder';
import { loadWasm } from './node/runtime';
import { commandShellOf } from './terminal/shell-env';

/** Creates the parts that decide on calls outside of a session: tools, disk, and home folder. */
export function createCheckParts(env: Readonly<Record<string, string | undefined>>) {
  const parser = createShellParser(loadWasm, dialectOf(commandShellOf(env)));
  const sources = [fixedSource('built in', createBuiltinTools())];
  const needsByName = createNeedsByName((name) => findTool(sources, name));
  // Of a session a question knows nothing: its rules count, and there is no sandbox.
  const outside = { parser, trusted: true, sandboxTerms: async () => null };
  return {
    needsOf: (tool: string, input: RawInput, where: Whereabouts, files: Files) =>
      needsByName(tool, input, { ...outside, files, cwd: where.cwd, home: where.home }),
    files: createNodeFiles(),
    home: homeFolder(env),
    caseInsensitive: process.platform === 'darwin' || process.platform === 'win32',
  };
}

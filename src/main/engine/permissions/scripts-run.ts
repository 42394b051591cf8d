import { createHash } from 'node:crypto';
import type { Files } from '../ports';
import type { PermissionRequest, ShellCommand } from './request';
import { placesOf, type Whereabouts } from './rule-match';
import { isInterpreter } from './shell-analysis/interpreters';
import { SHELLS } from './shell-analysis/launchers';
import { CODE } from './shell-hiding';

/** Hashes of the files that calls run, by their paths; `absent` where there is none. */
export type ScriptHashes = ReadonlyMap<string, string>;

/** More files of one call are not looked at. */
const MAX_SCRIPTS = 20;
/** Of larger files size, time and identity stand for the content. Bytes. */
const MAX_SCRIPT_BYTES = 1024 * 1024;

/** Programs that run what a file of the folder says, by the names of that file. */
const PROJECT_FILES: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  pnpm: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile'],
  gradle: ['build.gradle', 'build.gradle.kts'],
  gradlew: ['build.gradle', 'build.gradle.kts'],
  mvn: ['pom.xml'],
};

/** Hashes the files that requests for shell lines run: scripts, and what `npm run` and its like read. */
export async function hashScripts(
  requests: readonly PermissionRequest[],
  home: string,
  files: Files,
): Promise<ScriptHashes> {
  const paths = requests.flatMap((request) =>
    request.kind === 'shell'
      ? request.analysis.commands.flatMap((command) =>
          scriptsOf(command, { cwd: request.cwd, home }),
        )
      : [],
  );
  const looked = [...new Set(paths)].slice(0, MAX_SCRIPTS);
  return new Map(
    await Promise.all(looked.map(async (path) => [path, await hashOf(path, files)] as const)),
  );
}

/** Returns the paths whose hashes differ, those that only one side has left out. Pure. */
export const changedScripts = (before: ScriptHashes, after: ScriptHashes): string[] =>
  [...before].flatMap(([path, hash]) => ((after.get(path) ?? hash) === hash ? [] : [path]));

/** Returns the files that a command runs as code, in every folder it may start in. Pure. */
function scriptsOf(command: ShellCommand, where: Whereabouts): string[] {
  const [called, ...rest] = command.words;
  if (typeof called !== 'string') return [];
  const name = called.slice(called.lastIndexOf('/') + 1);
  const words = called.includes('/') ? [called] : [];
  if (SHELLS.has(name) || isInterpreter(name) || /^(?:\.|source)$/.test(name)) {
    const operand = rest.find((word) => word === null || !/^[-+]/.test(word));
    const coded = rest.filter((word) => CODE.test(word ?? ''));
    const module = rest[rest.indexOf('-m') + 1];
    words.push(...[operand, ...coded].filter((word) => typeof word === 'string'));
    if (rest.includes('-m') && module) words.push(`${module.replaceAll('.', '/')}.py`);
  }
  if (Object.hasOwn(PROJECT_FILES, name)) words.push(...(PROJECT_FILES[name] ?? []));
  // A text with line breaks is code itself.
  return words
    .filter((word) => !/[\n\0]/.test(word))
    .flatMap((word) => placesOf(word, command, where) ?? []);
}

async function hashOf(path: string, files: Files): Promise<string> {
  const stat = await files.stat(path);
  if (!stat.ok || stat.value.kind !== 'file') return 'absent';
  const { size, mtimeMs, identity } = stat.value;
  const content = size <= MAX_SCRIPT_BYTES ? await files.read(path, MAX_SCRIPT_BYTES) : null;
  if (!content?.ok) return `${size} ${mtimeMs} ${identity}`;
  return createHash('sha256').update(content.value).digest('base64url');
}

import { dirname, join } from 'node:path';
import type { Files } from '../ports';
import { autoMemoryIndex, ownNotesCount } from './auto-memory';
import { type LoadedMemory, MemoryLoader } from './memory-loader';
import type { MemoryPlaces } from './memory-places';
import { type MemoryRule, readMemoryRules } from './memory-rules';

/**
 * Loads the memory files that apply from the start, farthest first (docs/configuration.md): managed, user, then per
 * folder from the root to `cwd` CLAUDE.md (else AGENTS.md) and CLAUDE.local.md, each followed by its imports.
 */
export async function loadMemory(files: Files, places: MemoryPlaces): Promise<LoadedMemory> {
  const loader = new MemoryLoader(files, places);
  if (places.managedFile !== undefined) await loader.load(places.managedFile, 'managed');
  if (counts(places, 'user')) {
    await loader.load(join(places.userFolder, 'CLAUDE.md'), 'user');
    await loadRules(loader, files, places.userFolder, null);
    if (ownNotesCount(places))
      await loader.load(autoMemoryIndex(places.userFolder, places.cwd), 'auto');
  }
  if (!places.includeProject) {
    if (counts(places, 'project')) await tellUntrusted(loader, files, places.cwd);
    return loader.result();
  }
  let missing: readonly string[] = [];
  for (const folder of foldersDownTo(places.cwd))
    missing = await loadFolder(loader, folder, places);
  await tellMisspelled(loader, places.cwd, missing);
  if (counts(places, 'project'))
    await loadRules(loader, files, join(places.cwd, '.claude'), places.cwd);
  return loader.result();
}

/** Loads the rules of a folder that hold for all work, and notes the others. */
async function loadRules(
  loader: MemoryLoader,
  files: Files,
  folder: string,
  within: string | null,
): Promise<void> {
  const { rules, problems } = await readMemoryRules(files, folder, within);
  loader.add(problems);
  for (const rule of rules) {
    if (rule.globs.length > 0) loader.waitFor(rule);
    else await loader.load(rule.path, rule.kind, undefined, rule.body);
  }
}

/** Loads rules whose time has come, with their imports. */
export async function loadDueRules(
  files: Files,
  places: MemoryPlaces,
  due: readonly MemoryRule[],
): Promise<LoadedMemory> {
  const loader = new MemoryLoader(files, places);
  for (const { path, kind, body } of due) await loader.load(path, kind, undefined, body);
  const { files: loaded, problems } = loader.result();
  const globs = new Map(due.map((rule) => [rule.path, rule.globs]));
  return {
    problems,
    files: loaded.map((file) => ({
      ...file,
      ...(globs.has(file.path) ? { globs: globs.get(file.path) ?? [] } : {}),
    })),
  };
}

/** Tells which instructions of a folder that nobody trusts are left out. Reads none of them. */
async function tellUntrusted(loader: MemoryLoader, files: Files, cwd: string): Promise<void> {
  for (const name of ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md', 'CLAUDE.local.md']) {
    const path = join(cwd, name);
    const stat = await files.stat(path);
    if (stat.ok) loader.tell(path, UNTRUSTED);
  }
  const rules = join(cwd, '.claude', 'rules');
  const listed = await files.list(rules);
  if (listed.ok && listed.value.length > 0) loader.tell(rules, UNTRUSTED);
}

const UNTRUSTED = 'left out, because nobody trusts this folder';

/** Loads the memory of one folder of the project, with its imports: for folders below the working directory. */
export async function loadFolderMemory(
  files: Files,
  places: MemoryPlaces,
  folder: string,
): Promise<LoadedMemory> {
  const loader = new MemoryLoader(files, places);
  await loadFolder(loader, folder, places);
  return loader.result();
}

/** Loads the memory of one folder. Returns the names that are not there and count where they are. */
async function loadFolder(
  loader: MemoryLoader,
  folder: string,
  places: MemoryPlaces,
): Promise<readonly string[]> {
  const load = (name: string, kind: 'project' | 'local') => loader.load(join(folder, name), kind);
  const missing: string[] = [];
  if (
    counts(places, 'project') &&
    !(await load('CLAUDE.md', 'project')) &&
    !(await load('.claude/CLAUDE.md', 'project')) &&
    !(await load('AGENTS.md', 'project'))
  )
    missing.push('CLAUDE.md', 'AGENTS.md');
  if (counts(places, 'local') && !(await load('CLAUDE.local.md', 'local')))
    missing.push('CLAUDE.local.md');
  return missing;
}

/** Tells of misspelled names where sessions begin. In folders below, `agents.md` is as often a page on agents. */
async function tellMisspelled(
  loader: MemoryLoader,
  cwd: string,
  missing: readonly string[],
): Promise<void> {
  if (missing.length === 0) return;
  await loader.tellMisspelled(cwd, missing);
  if (missing.includes('CLAUDE.md'))
    await loader.tellMisspelled(join(cwd, '.claude'), ['CLAUDE.md']);
}

const counts = ({ sources }: MemoryPlaces, source: 'user' | 'project' | 'local'): boolean =>
  sources === undefined || sources.includes(source);

function foldersDownTo(cwd: string): readonly string[] {
  const parent = dirname(cwd);
  return parent === cwd ? [cwd] : [...foldersDownTo(parent), cwd];
}

import { join } from 'node:path';
import type { Files } from '../engine/ports';

/** The facts about a folder that suggestions are made from. */
export interface ProjectFacts {
  /** The names in the folder itself. */
  readonly names: readonly string[];
  /** The names of the scripts in its package.json. */
  readonly scripts: readonly string[];
}

const SUGGESTIONS = 3;

const SOURCE = /\.([cm]?[jt]sx?|py|rb|go|rs|java|kt|c|cc|cpp|cs|php|swift|sh)$/i;
const CODE_FOLDERS = new Set(['src', 'lib', 'app', 'cmd', 'packages', 'source']);
const TESTS = /^(tests?|specs?|__tests__|.*[._-](test|spec)\.\w+|test_.*\.py)$/i;
const TEST_SETUPS =
  /^(vitest|jest|playwright|cypress)\.config\.|^(pytest\.ini|tox\.ini|conftest\.py)$/;

/** Returns three tasks that fit a project, the most useful first. Pure. */
export function suggestedTasks({ names, scripts }: ProjectFacts): readonly string[] {
  const visible = names.filter((name) => !name.startsWith('.'));
  const has = (test: (name: string) => boolean) => names.some(test);
  if (visible.length === 0) return EMPTY_FOLDER;
  const code = has((name) => SOURCE.test(name) || CODE_FOLDERS.has(name));
  const tests =
    scripts.includes('test') || has((name) => TESTS.test(name) || TEST_SETUPS.test(name));
  const readme = names.find((name) => /^readme(\.|$)/i.test(name));
  const offers: readonly (readonly [fits: boolean, task: string])[] = [
    [tests, 'Run the tests, and explain what fails'],
    [code, 'Explain how this project is built, and where to begin reading'],
    [code && !tests, 'Add a first test for the most important part'],
    [names.includes('.git'), 'Sum up what the last ten commits changed'],
    [readme === undefined && code, 'Write a README for this project'],
    [scripts.includes('lint'), 'Run the linter, and fix what it finds'],
    [readme !== undefined, `Check that ${readme} still says what is true`],
    [code, 'Look for a bug, and show me before you change anything'],
    [true, 'Tell me what is in this folder'],
    [true, 'Find duplicates and leftovers, and list them'],
    [true, 'Suggest a better order for these files'],
  ];
  return offers.flatMap(([fits, task]) => (fits ? [task] : [])).slice(0, SUGGESTIONS);
}

const EMPTY_FOLDER: readonly string[] = [
  'Start a small web page here',
  'Start a command-line tool here, with tests',
  'Interview me about what I want to build, and write a plan',
];

/** A package.json is rarely larger. Bytes. */
const MAX_MANIFEST_BYTES = 256 * 1024;

/** Reads what {@link suggestedTasks} needs to know of a folder. Runs nothing; what cannot be read is left out. */
export async function projectFacts(files: Files, path: string): Promise<ProjectFacts> {
  const entries = await files.list(path);
  const names = entries.ok ? entries.value.map(({ name }) => name) : [];
  if (!names.includes('package.json')) return { names, scripts: [] };
  const manifest = await files.read(join(path, 'package.json'), MAX_MANIFEST_BYTES);
  return { names, scripts: manifest.ok ? scriptsIn(new TextDecoder().decode(manifest.value)) : [] };
}

function scriptsIn(manifest: string): readonly string[] {
  try {
    const json: unknown = JSON.parse(manifest);
    const scripts = typeof json === 'object' && json !== null && 'scripts' in json && json.scripts;
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : [];
  } catch {
    return [];
  }
}

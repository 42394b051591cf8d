import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import type { FileEdit } from '../../shared/project-file';
import { err, fault, ok, type Result } from '../../shared/result';

/** The arguments that make a kind of editor show a place in a file. */
type Arguments = (path: string, line: number, column: number) => readonly string[];

const goTo: Arguments = (path, line, column) => ['--goto', `${path}:${line}:${column}`];
const colon: Arguments = (path, line, column) => [`${path}:${line}:${column}`];
const lineFlag: Arguments = (path, line, column) => [
  ...['--line', String(line), '--column', String(column)],
  path,
];
const plus: Arguments = (path, line) => [`+${line}`, path];

/** Editors with a window of their own, the first that is there is taken. Those of terminals are not among them. */
const EDITORS: readonly (readonly [program: string, args: Arguments])[] = [
  ['code', goTo],
  ['cursor', goTo],
  ['windsurf', goTo],
  ['codium', goTo],
  ['vscodium', goTo],
  ['code-insiders', goTo],
  ['zed', colon],
  ['zeditor', colon],
  ['subl', colon],
  ['idea', lineFlag],
  ['webstorm', lineFlag],
  ['pycharm', lineFlag],
  ['goland', lineFlag],
  ['phpstorm', lineFlag],
  ['rubymine', lineFlag],
  ['clion', lineFlag],
  ['rider', lineFlag],
  ['rustrover', lineFlag],
  ['mate', (path, line, column) => ['--line', `${line}:${column}`, path]],
  ['kate', lineFlag],
  ['gnome-text-editor', plus],
  ['gedit', plus],
  ['xed', plus],
  ['pluma', plus],
  ['gvim', plus],
  ['emacsclient', (path, line, column) => ['--no-wait', `+${line}:${column}`, path]],
];

/** The machine that an editor is started on. */
export interface EditorHost {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the command that opens a file, or null when no editor is known. `available` says which programs there are.
 * `VISUAL` and `EDITOR` go first where they name one of {@link EDITORS}. What merely opens files by their kind is
 * never used: it would run some of them. Pure.
 */
export function editorCommand(
  path: string,
  { line = 1, column = 1 }: Pick<FileEdit, 'line' | 'column'>,
  { platform, env }: EditorHost,
  available: (program: string) => boolean,
): readonly string[] | null {
  const wanted = [env['VISUAL'], env['EDITOR']].flatMap((command) => {
    const program = command?.trim().split(/\s+/)[0] ?? '';
    const known = EDITORS.find(([name]) => name === basename(program).replace(/\.(exe|cmd)$/i, ''));
    return known === undefined ? [] : [[program, known[1]] as const];
  });
  const found = [...wanted, ...EDITORS].find(([program]) => available(program));
  if (found) return [found[0], ...found[1](path, line, column)];
  if (platform === 'darwin') return ['open', '-t', path];
  return platform === 'win32' ? ['notepad.exe', path] : null;
}

/** Creates what opens files in the user's editor. The editor lives on by itself. */
export function createEditors(host: EditorHost) {
  return async (path: string, at: Pick<FileEdit, 'line' | 'column'>): Promise<Result<null>> => {
    const folders = (host.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    const names = [
      ...EDITORS.map(([name]) => name),
      ...['VISUAL', 'EDITOR'].map((v) => firstWord(host.env[v])),
    ];
    const there = await Promise.all(
      names.map((name) => isProgram(name, folders, host.platform).then((is) => (is ? [name] : []))),
    );
    const available = new Set(there.flat());
    const command = editorCommand(path, at, host, (program) => available.has(program));
    if (command === null) return err(NO_EDITOR);
    return start(command, host);
  };
}

const firstWord = (command: string | undefined): string => command?.trim().split(/\s+/)[0] ?? '';

async function isProgram(
  name: string,
  folders: readonly string[],
  platform: NodeJS.Platform,
): Promise<boolean> {
  if (name === '') return false;
  const endings = platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const places = name.includes('/') ? [name] : folders.map((folder) => join(folder, name));
  for (const place of places.flatMap((one) => endings.map((ending) => one + ending))) {
    const runs = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return true;
  }
  return false;
}

const start = (
  [program = '', ...args]: readonly string[],
  { env }: EditorHost,
): Promise<Result<null>> =>
  new Promise((resolve) => {
    const { ELECTRON_RUN_AS_NODE: _, ...own } = env;
    const child = spawn(program, args, { detached: true, stdio: 'ignore', env: own });
    child.once('error', ({ message }) =>
      resolve(err(fault('no_editor', `${program} could not be started: ${message}`))),
    );
    child.once('spawn', () => {
      child.unref();
      resolve(ok(null));
    });
  });

const NO_EDITOR = fault(
  'no_editor',
  'No editor with a window was found on this machine.',
  'Set VISUAL to one, such as code or zed, and start Lathe again.',
);

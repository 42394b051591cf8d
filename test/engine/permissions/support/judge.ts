import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileRequest, shellRequest } from '../../../../src/main/engine/permissions/build-request';
import { decide } from '../../../../src/main/engine/permissions/decide';
import type { DecisionContext } from '../../../../src/main/engine/permissions/request';
import {
  createShellParser,
  type ShellParser,
} from '../../../../src/main/engine/permissions/shell-analysis/parser';
import type { Files } from '../../../../src/main/engine/ports';
import { createNodeFiles } from '../../../../src/main/node/files';
import { loadWasm } from '../../../../src/main/node/runtime';
import type {
  Decision,
  PermissionMode,
  PermissionRule,
  RuleBehavior,
  RuleSource,
} from '../../../../src/shared/permission';

/** Rules as tables write them. */
export interface RuleTexts {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
}

/** Makes rules out of their texts. */
export function rulesOf(
  texts: RuleTexts,
  source: RuleSource = 'projectSettings',
): PermissionRule[] {
  const make = (behavior: RuleBehavior, list: readonly string[] = []) =>
    list.map((text) => ({ behavior, text, source }));
  return [...make('deny', texts.deny), ...make('ask', texts.ask), ...make('allow', texts.allow)];
}

/** A project in a temporary home, with links that lead out of it. */
export interface Fixture {
  readonly home: string;
  readonly project: string;
  readonly context: DecisionContext;
  readonly parser: ShellParser;
  shell(command: string, rules?: RuleTexts, mode?: PermissionMode): Promise<Decision>;
  file(tool: string, asked: string, rules?: RuleTexts, mode?: PermissionMode): Promise<Decision>;
  remove(): void;
}

const FILES = [
  'proj/a.txt',
  'proj/src/app.ts',
  'proj/src/index.ts',
  'proj/src/x.py',
  'proj/secrets/a.txt',
  'proj/secrets/deep/er/a.txt',
  'proj/vendor/pkg/secrets/a.txt',
  'proj/.env',
  'proj/packages/api/.env',
  'proj/.git/config',
  'proj/.claude/settings.json',
  'proj/sub/x.txt',
  'proj/links/plain.txt',
  'outside.txt',
  'notes/a.txt',
  'proj-evil/x.txt',
  '.ssh/id_rsa',
];

const LINKS: readonly (readonly [string, string])[] = [
  ['proj/key', '../.ssh/id_rsa'],
  ['proj/escape', '/etc'],
  ['proj/outlink', '../notes'],
  ['proj/envlink', '.env'],
  ['proj/inlink.txt', 'src/app.ts'],
  ['proj/gitlink', '.git'],
  ['proj/loopa', 'loopb'],
  ['proj/loopb', 'loopa'],
  ['proj/dangling', '../not-there-yet'],
  ['proj/chain1', 'chain2'],
  ['proj/chain2', '../outside.txt'],
  ['proj/links/out.txt', '../../outside.txt'],
];

/** Builds the fixture. Decisions look at the disk through `files`. Call `remove` when done. */
export function createFixture(files: Files = createNodeFiles()): Fixture {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'lathe-permissions-')));
  for (const file of FILES) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), 'x');
  }
  for (const [link, target] of LINKS) symlinkSync(target, path.join(home, link));
  const project = path.join(home, 'proj');
  const context: DecisionContext = {
    cwd: project,
    home,
    project,
    workingDirectories: [project],
    caseInsensitive: false,
  };
  const parser = createShellParser(loadWasm);
  return {
    home,
    project,
    context,
    parser,
    shell: async (command, rules = {}, mode = 'default') =>
      decide(
        await shellRequest('Bash', command, context, parser, files),
        rulesOf(rules),
        mode,
        context,
      ),
    file: async (tool, asked, rules = {}, mode = 'default') => {
      const access = /^(Edit|Write|NotebookEdit)$/.test(tool) ? 'edit' : 'read';
      const request = await fileRequest(tool, access, asked, context, files);
      return decide(request, rulesOf(rules), mode, context);
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Returns true when a program is there, for tests that compare with the real thing. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProjectRegistry } from '../../src/main/app/project-registry';
import { addRule, createSettingsWriter } from '../../src/main/engine/settings/write';
import { createNodeFiles } from '../../src/main/node/files';
import { projectBookIn } from '../support/project-registry';

let root: string;
let project: string;
let book: ProjectRegistry;
const files = createNodeFiles();

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'lathe-book-')));
  project = join(root, 'project');
  await mkdir(join(project, '.claude'), { recursive: true });
  book = projectBookIn(root);
  await book.open(project);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const saveRule = (rule: string) => () =>
  addRule(
    createSettingsWriter(files),
    { project, configDir: join(root, 'config') },
    { rule, destination: 'localSettings' },
  );
const writeSettings = (settings: object) =>
  writeFile(join(project, '.claude', 'settings.json'), JSON.stringify(settings));
const allowed = () => book.settings(project)?.rules.map((rule) => rule.text);

test('trust follows a rule that Lathe saved', async () => {
  await book.trust(project, true);
  expect((await book.changeSettings(project, saveRule('Bash(npm test)'))).ok).toBe(true);
  expect(book.isTrusted(project)).toBe(true);
  expect(allowed()).toEqual(['Bash(npm test)']);
});

test('trust does not follow what a stranger changed before a rule was saved', async () => {
  await book.trust(project, true);
  await writeSettings({ permissions: { allow: ['Bash(touch *)'] }, hooks: {} });
  await book.changeSettings(project, saveRule('Bash(npm test)'));
  expect(book.isTrusted(project)).toBe(false);
  expect(allowed()).toEqual([]);
});

test('THREATS 1: what is trusted is what was shown', async () => {
  await writeSettings({ permissions: { allow: ['Bash(ls)'] } });
  await book.open(project);
  await writeSettings({ permissions: { allow: ['Bash(touch *)'] } });
  await book.trust(project, true);
  expect(book.isTrusted(project)).toBe(false);
});

test('THREATS 1: a folder that changed is asked about again, and says what is new', async () => {
  await writeSettings({ permissions: { allow: ['Bash(ls)'] }, env: { A: '1' } });
  await book.open(project);
  await book.trust(project, true);
  const [trusted] = book.list();
  expect(trusted).toMatchObject({ trusted: true });
  expect(trusted?.changedSinceTrust).toBeUndefined();

  const news = async (settings: object) => {
    await writeSettings(settings);
    const read = await book.refresh(project);
    if (!read.ok) throw new Error(read.error.message);
    const { findings, changedSinceTrust } = read.value;
    expect({ trusted: read.value.trusted, changedSinceTrust }).toEqual({
      trusted: false,
      changedSinceTrust: true,
    });
    return findings.filter(({ isNew }) => isNew).map(({ what }) => what);
  };
  const rules = { permissions: { allow: ['Bash(ls)'] } };
  expect(await news({ ...rules, env: { A: '2' } })).toEqual(['A']);
  expect(await news({ ...rules, env: { A: '1' }, apiKeyHelper: 'x' })).toEqual(['apiKeyHelper']);
  expect(await news(rules)).toEqual([]);
});

test('THREATS 1: trust does not follow a hook that differs only far behind', async () => {
  const hooks = (end: string) => ({
    hooks: { Stop: [{ hooks: [{ type: 'command', command: `${'x'.repeat(5_000)}${end}` }] }] },
  });
  await writeSettings(hooks('a'));
  await book.open(project);
  await book.trust(project, true);
  const saveAfterAttack = async () => {
    await writeSettings(hooks('b'));
    return saveRule('Bash(npm test)')();
  };
  await book.changeSettings(project, saveAfterAttack);
  expect(book.isTrusted(project)).toBe(false);
});

test('THREATS 1: trust goes by the real folder: a link to it has it; parents, children and a moved one have not', async () => {
  const inner = join(project, 'inner');
  await mkdir(inner);
  await symlink(project, join(root, 'link'));
  await book.trust(project, true);
  const trustOf = async (folder: string) => {
    const opened = await book.open(folder);
    return opened.ok ? opened.value.trusted : null;
  };
  expect(await trustOf(join(root, 'link'))).toBe(true);
  for (const other of [root, inner]) expect(await trustOf(other)).toBe(false);
  await rename(project, join(root, 'moved'));
  expect(await trustOf(join(root, 'moved'))).toBe(false);
  await mkdir(project);
  await rm(join(root, 'link'));
  await symlink(join(root, 'moved'), join(root, 'link'));
  expect(await trustOf(join(root, 'link'))).toBe(false);
});

test('who listens is told when a folder looks different', async () => {
  let told = 0;
  book.onChanged(() => {
    told += 1;
  });
  await book.refresh(project);
  expect(told).toBe(1);
});

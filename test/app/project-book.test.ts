import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProjectBook, type ProjectBook } from '../../src/main/app/project-book';
import { createTrustStore } from '../../src/main/engine/permissions/trust';
import { loadSettings } from '../../src/main/engine/settings/load';
import { addRule, createSettingsWriter } from '../../src/main/engine/settings/write';
import { createNodeFiles } from '../../src/main/node/files';
import { memoryClock } from '../support/memory-clock';
import { noSandbox } from '../support/no-sandbox';

let root: string;
let project: string;
let book: ProjectBook;
const files = createNodeFiles();

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'lathe-book-')));
  project = join(root, 'project');
  await mkdir(join(project, '.claude'), { recursive: true });
  const configDir = join(root, 'config');
  book = createProjectBook({
    files,
    home: root,
    sandbox: noSandbox,
    trust: createTrustStore({ files, file: join(root, 'trust.json'), clock: memoryClock() }),
    loadSettings: (folder, trusted) =>
      loadSettings({
        files,
        project: folder,
        home: root,
        configDir,
        managedFile: null,
        trusted,
        commandLine: { allowedTools: [], disallowedTools: [], addDirectories: [] },
      }),
  });
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

test('who listens is told when a folder looks different', async () => {
  let told = 0;
  book.onChanged(() => {
    told += 1;
  });
  await book.refresh(project);
  expect(told).toBe(1);
});

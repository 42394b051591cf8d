import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findStored } from '../../../src/main/engine/sessions/list';
import { projectFolder } from '../../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../../src/main/node/files';

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';

test.each([
  ['is empty', ''],
  ['is no text', '\0\xff\0'],
])(
  'a session whose file %s is found in its folder, by its id and as the newest',
  async (_, text) => {
    const latheHome = mkdtempSync(join(tmpdir(), 'stored-'));
    onTestFinished(() => rmSync(latheHome, { recursive: true }));
    const services = { files: createNodeFiles(), latheHome };
    const gone = await findStored(services, '/p', ID);
    expect(gone).toMatchObject({ ok: false, error: { message: `There is no session ${ID}.` } });
    const folder = projectFolder(latheHome, '/p');
    mkdirSync(folder, { recursive: true });
    const log = join(folder, `${ID}.jsonl`);
    writeFileSync(log, text);
    const found = { ok: true, value: { id: ID, project: '/p', file: log } };
    expect(await findStored(services, '/p', ID)).toMatchObject(found);
    expect(await findStored(services, '/p', 'latest')).toMatchObject(found);
    expect(await findStored(services, '/q', ID)).toMatchObject({ ok: false });
    expect(readFileSync(log, 'utf8')).toBe(text);
  },
);

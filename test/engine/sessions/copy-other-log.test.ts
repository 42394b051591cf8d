import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentsOfOther, copyOtherLog } from '../../../src/main/engine/sessions/copy-other-log';
import { findSession } from '../../../src/main/engine/sessions/list';
import { resumeLog } from '../../../src/main/engine/sessions/open-log';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';
import { tempFolder } from '../../node/temp-folder';
import { countingIds, memoryClock } from '../../support/memory-clock';
import { call, jsonl, line, output, placed, text } from './other-session';

const NOW = Date.UTC(2026, 10, 2);

/** Writes a log of Claude Code; `copy` copies it, `open` opens the copy as any session is opened. */
async function setUp(content: string) {
  const latheHome = await tempFolder();
  const file = join(latheHome, 'other.jsonl');
  await writeFile(file, content);
  const files = createNodeFiles();
  const uuid = () => '0b6f2c1e-6c1d-4b52-9a51-4a35a4cf6d10';
  const services = { files, clock: memoryClock(NOW), ids: { ...countingIds(), uuid }, latheHome };
  const log = { origin: 'claude', file } as const;
  return {
    ...{ latheHome, file, files, log },
    copy: (until: number | null = null, project: string | null = latheHome) =>
      copyOtherLog(services, log, { until, project }),
    open: async () => {
      const stored = await findSession(files, latheHome, uuid());
      if (stored === null) throw new Error('the copy is not there');
      const { id: sessionId, project } = stored;
      const all = { ...services, locks: createNodeLocks() };
      const opened = await resumeLog(all, { file: stored.file, sessionId, project });
      if (!opened.ok) throw new Error(opened.error.message);
      await opened.value.log.close();
      await opened.value.release();
      return { stored, ...opened.value };
    },
  };
}

describe('a copy of another agent’s session', () => {
  it('opens like a session of Lathe’s, says where it came from, and leaves the log as it is', async () => {
    const content = jsonl([
      { type: 'summary', summary: 'The keel' },
      line('user', 'u0', null, 'mend the keel', { toolUseResult: 'x'.repeat(100) }),
      line('assistant', 'a1', 'u0', [text('I look.'), call('t1', 'ls keel')]),
      line('user', 'r2', 'a1', [output('t1', 'no such keel', { is_error: true })]),
      line('assistant', 'a3', 'r2', [text('There is none.')]),
    ]);
    const { copy, open, file } = await setUp(content);
    expect(await copy()).toMatchObject({ ok: true, value: { prompt: null } });
    const { stored, log, problems, events } = await open();
    expect(stored).toMatchObject({ title: 'The keel', createdAt: NOW });
    expect(problems).toEqual([]);
    const { committed, active } = log.transcript();
    expect(log.transcript().costs.total.costUsd).toBe(0);
    const shown = JSON.stringify([committed, active]);
    for (const words of ['mend the keel', 'ls keel', 'no such keel', 'There is none.'])
      expect(shown).toContain(words);
    expect(shown).toContain('Copied from a session of Claude Code, whose log stays as it is.');
    expect(events.filter(({ type }) => type === 'query_finished')).not.toMatchObject([
      { cut: true },
    ]);
    expect(await readFile(file, 'utf8')).toBe(content);
  });

  it('works in the folder of the session, or in the project where that is gone', async () => {
    const folder = await tempFolder();
    const there = await setUp(jsonl([line('user', 'u0', null, 'one', { cwd: folder })]));
    expect(await there.copy()).toMatchObject({ value: { project: folder } });
    const gone = await setUp(jsonl([line('user', 'u0', null, 'one', { cwd: '/gone/by/now' })]));
    expect(await gone.copy()).toMatchObject({ value: { project: gone.latheHome } });
    expect(JSON.stringify((await gone.open()).log.transcript())).toContain(
      'It ran in /gone/by/now.',
    );
    expect(await gone.copy(null, null)).toMatchObject({ ok: false, error: { code: 'no_project' } });
  });

  it('stops before a prompt, also one beyond the first piece that is read, with words in many scripts', async () => {
    const long = 'Σ'.repeat(3 * 1024 * 1024);
    const content = jsonl([
      line('user', 'u0', null, 'one'),
      line('assistant', 'a1', 'u0', [text(long)]),
      line('user', 'u2', 'a1', 'zwei ⛵'),
    ]);
    const { copy, open, files, log } = await setUp(content);
    const place = placed(content)[2]?.offset ?? 0;
    expect(await contentsOfOther(files, log)).toMatchObject({
      value: {
        prompts: [
          { itemId: '0', text: 'one' },
          { itemId: String(place), text: 'zwei ⛵' },
        ],
      },
    });
    expect(await copy(place)).toMatchObject({ value: { prompt: { text: 'zwei ⛵' } } });
    const { history, log: copied } = await open();
    expect(copied.transcript().title).toBe('one');
    expect(history.messages()).toHaveLength(2);
    expect(JSON.stringify(history.messages())).toContain(long);
  });

  it('never takes the place of a session that is there', async () => {
    const { copy, open } = await setUp(jsonl([line('user', 'u0', null, 'one')]));
    expect(await copy()).toMatchObject({ ok: true });
    const { stored } = await open();
    const before = await readFile(stored.file);
    expect(await copy()).toMatchObject({ ok: false, error: { code: 'session_exists' } });
    expect(await readFile(stored.file)).toEqual(before);
  });

  it('tells what could not be read, and is none where nothing could', async () => {
    const torn = `${jsonl([line('user', 'u0', null, 'one')])}{"type":"user","mess`;
    const some = await setUp(torn);
    expect(await some.copy()).toMatchObject({ ok: true });
    expect(JSON.stringify((await some.open()).log.transcript())).toContain(
      '1 line of it could not be read.',
    );
    const none = await setUp('\u0000\u0000\nnull\n');
    expect(await none.copy()).toMatchObject({ ok: false, error: { code: 'empty' } });
    const folder = join(none.latheHome, 'folder.jsonl');
    await mkdir(folder);
    const found = await contentsOfOther(none.files, { origin: 'codex', file: folder });
    expect(found.ok).toBe(false);
  });

  it('has a line that a crash left zeros in front of', async () => {
    const [first = '', second = ''] = [
      jsonl([line('user', 'u0', null, 'one')]),
      jsonl([line('assistant', 'a1', 'u0', [text('done')])]),
    ];
    const { copy, open } = await setUp(`${first}${'\u0000'.repeat(64)}${second}`);
    expect(await copy()).toMatchObject({ ok: true });
    const { history, log } = await open();
    expect(JSON.stringify(history.messages())).toContain('done');
    expect(JSON.stringify(log.transcript())).not.toContain('could not be read');
  });

  it('lists the newest prompts of very many', async () => {
    const many = Array.from({ length: 1_002 }, (_, n) =>
      line('user', `u${n}`, n === 0 ? null : `u${n - 1}`, `prompt ${n}`),
    );
    const { files, log } = await setUp(jsonl(many));
    const found = await contentsOfOther(files, log);
    expect(found).toMatchObject({ ok: true, value: { more: true } });
    if (found.ok) expect(found.value.prompts[0]?.text).toBe('prompt 2');
  });
});

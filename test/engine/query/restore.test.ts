import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createTodoWriteTool } from '../../../src/main/engine/tools/builtin/todo-write/todo-write';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { ofType, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();

it('files seen last and open todos come back behind a summary, as they are now', async () => {
  const t = await start(
    (_request, number) => {
      // One a turn: reads of one answer run together and may end in any order.
      if (number < 8)
        return reply([toolUse('Read', { file_path: join(t.project, `f${number}.txt`) })]);
      const todos = [{ content: 'mend the roof', status: 'in_progress', activeForm: 'Mending' }];
      if (number === 8) return reply([toolUse('TodoWrite', { todos })]);
      if (number === 10) return reply('<summary>Eight files were read.</summary>');
      return reply(number === 9 ? 'Read all of them, and here is a long answer.' : 'Fine.');
    },
    { tools: [createReadTool(), createTodoWriteTool()] },
  );
  for (let n = 0; n < 8; n += 1) await writeFile(join(t.project, `f${n}.txt`), `content ${n}\n`);
  await t.run('read them');
  await writeFile(join(t.project, 'f7.txt'), 'changed since\n');
  await rm(join(t.project, 'f6.txt'));
  await chmod(join(t.project, 'f5.txt'), 0o644);
  const events = [];
  for await (const { event } of t.session.main.engine.compact()) events.push(event);
  const [done] = ofType(events, 'compacted');
  const restored = ofType(events, 'attachment').filter((e) => e.kind.startsWith('restored_'));
  expect(restored.map((e) => e.about?.split('/').at(-1) ?? e.kind)).toEqual([
    'f7.txt',
    'f5.txt',
    'f4.txt',
    'f3.txt',
    'f2.txt',
    'restored_todos',
  ]);
  expect(done?.tokensAfter).toBeGreaterThan(0);
  await t.run('go on');
  const said = saidIn(t.api, -1);
  expect(said).toContain('changed since');
  expect(said).toContain('[in_progress] mend the roof');
  expect(said).not.toContain('content 1');
});

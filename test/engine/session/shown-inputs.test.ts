import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createLineMapper } from '../../../src/main/hosts/headless/stream-json';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

it('programs see the whole path of a call; the model sees what it wrote, byte for byte', async () => {
  open = await openTestSession(
    [
      reply([
        toolUse('Read', { file_path: 'src/a.ts' }),
        toolUse('Read', { file_path: 7 }),
        toolUse('Unknown', { file_path: 'src/a.ts' }),
      ]),
      reply(['done']),
    ],
    { tools: [createReadTool()] },
  );
  await mkdir(join(open.project, 'src'));
  await writeFile(join(open.project, 'src/a.ts'), 'x');
  const mapper = createLineMapper(
    {
      sessionId: 's',
      uuid: () => 'u',
      spent: () => ({}),
      structuredOutput: () => undefined,
      shownInput: open.session.watchInputs(),
    },
    false,
  );
  const lines = [];
  for await (const { event, agentId } of open.session.submit('read'))
    lines.push(...mapper.lines(event, agentId));
  const inputs = JSON.parse(JSON.stringify(lines))
    .filter(({ type }: { type: string }) => type === 'assistant')
    .flatMap(({ message }: { message: { content: { type: string; input?: unknown }[] } }) =>
      message.content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : [])),
    );
  expect(inputs).toEqual([
    { file_path: join(open.project, 'src/a.ts') },
    { file_path: 7 },
    { file_path: 'src/a.ts' },
  ]);
  const sent = open.api.requests[1]?.body.messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? content.flatMap((block) => (block['type'] === 'tool_use' ? [block['input']] : []))
      : [],
  );
  expect(sent).toEqual([{ file_path: 'src/a.ts' }, { file_path: 7 }, { file_path: 'src/a.ts' }]);
});

it('a call that is retracted is forgotten, and each is given once', async () => {
  open = await openTestSession(
    [reply([toolUse('Read', { file_path: 'a' }, 'toolu_a')]), reply(['x'])],
    {
      tools: [createReadTool()],
    },
  );
  const take = open.session.watchInputs();
  await open.run('read');
  expect(take('toolu_a')).toEqual({ file_path: join(open.project, 'a') });
  expect(take('toolu_a')).toBeNull();
  const { record } = open.session.main.state;
  const block = {
    type: 'tool_use' as const,
    id: 'toolu_b',
    name: 'Read',
    input: { file_path: 'b' },
  };
  record({ type: 'block_finished', messageId: 'm', model: 'x', index: 0, block });
  record({ type: 'tombstone', messageId: 'm', reason: 'cut', calls: ['toolu_b'] });
  expect(take('toolu_b')).toBeNull();
});

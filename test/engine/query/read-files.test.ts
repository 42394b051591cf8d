import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { afterEach, expect, it } from 'vitest';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

it('a PDF reaches the model as a document, also after the session was opened again', async () => {
  const pdf = await PDFDocument.create();
  pdf.addPage([100, 100]);
  const bytes = await pdf.save();
  open = await openTestSession(
    [reply([toolUse('Read', { file_path: 'a.pdf' }, 'call_1')]), reply('ok'), reply('ok')],
    { tools: [createReadTool()] },
  );
  await writeFile(join(open.project, 'a.pdf'), bytes);
  await open.run('read it');
  await open.reopen();
  await open.run('and again');
  const results = open.api.requests
    .slice(1)
    .map(({ body }) =>
      body.messages
        .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
        .find((block) => block.type === 'tool_result'),
    );
  expect(results).toHaveLength(2);
  for (const result of results)
    expect(result).toMatchObject({
      tool_use_id: 'call_1',
      content: [
        {
          type: 'document',
          title: 'a.pdf, page 1 of 1',
          source: {
            type: 'base64',
            media_type: 'application/pdf',
            data: Buffer.from(bytes).toString('base64'),
          },
        },
      ],
    });
});

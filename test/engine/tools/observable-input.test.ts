import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { otherNeeds } from '../../../src/main/engine/tools/needs';
import { observableInput } from '../../../src/main/engine/tools/parse-input';
import { defineTool } from '../../../src/main/engine/tools/tool';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { toolEnvironment } from '../../support/tool-environment';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** Completes its input by changing it in place, as deep as it goes. */
const meddler = (fail = false) =>
  defineTool<{ list: { name: string }[] }, string>({
    name: 'Meddler',
    description: 'm',
    input: z.object({ list: z.array(z.object({ name: z.string() })) }),
    needs: otherNeeds('Meddler'),
    title: () => ({ verb: 'm', target: '' }),
    backfillObservableInput: (copy) => {
      copy.list.push({ name: 'added' });
      for (const entry of copy.list) entry.name = `full/${entry.name}`;
      if (fail) throw new Error('broken');
      return copy;
    },
    // biome-ignore lint/correctness/useYield: one step
    execute: async function* () {
      return { ok: true, output: 'ran' };
    },
    toModel: (text) => [{ type: 'text', text }],
    view: () => ({ kind: 'generic', title: '', detail: '' }),
  });

it('is a copy, however the tool completes it', () => {
  const input = { list: [{ name: 'a' }] };
  const env = toolEnvironment();
  expect(observableInput(meddler(), input, env)).toEqual({
    list: [{ name: 'full/a' }, { name: 'full/added' }],
  });
  expect(observableInput(meddler(true), input, env)).toEqual({ list: [{ name: 'a' }] });
  expect(input).toEqual({ list: [{ name: 'a' }] });
  const plain = { ...meddler() };
  delete plain.backfillObservableInput;
  expect(observableInput(plain, input, env)).toEqual(input);
  expect(observableInput(plain, input, env)['list']).not.toBe(input.list);
});

it('has the path from the root for file tools', () => {
  const env = toolEnvironment({ project: '/code/p' });
  const shown = (file_path: string) => observableInput(createReadTool(), { file_path }, env);
  expect(shown('src/../a.ts')).toEqual({ file_path: '/code/p/a.ts' });
  expect(shown('/x/y')).toEqual({ file_path: '/x/y' });
  expect(shown('~/notes')).toEqual({ file_path: '~/notes' });
});

it('is what the report of a denial shows, while the API gets back its own bytes', async () => {
  const input = { list: [{ name: 'a' }] };
  open = await openTestSession([reply([toolUse('Meddler', input, 'call_1')]), reply('ok')], {
    tools: [meddler()],
    decision: 'deny',
  });
  const end = (await open.run('go')).at(-1);
  expect(end).toMatchObject({
    denials: [{ input: { list: [{ name: 'full/a' }, { name: 'full/added' }] } }],
  });
  expect(JSON.stringify(open.api.requests[1]?.body.messages)).toContain(
    JSON.stringify({ type: 'tool_use', id: 'call_1', name: 'Meddler', input }),
  );
  expect(open.api.refusals).toEqual([]);
});

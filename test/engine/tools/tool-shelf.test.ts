import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createToolSearchTool } from '../../../src/main/engine/tools/builtin/tool-search/tool-search';
import { ownNeeds } from '../../../src/main/engine/tools/needs';
import { defineTool } from '../../../src/main/engine/tools/tool';
import { searchTools } from '../../../src/main/engine/tools/tool-shelf';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

const tool = (name: string, description: string, deferred = true) =>
  defineTool<Record<string, never>, string>({
    name,
    description,
    input: z.strictObject({}),
    ...(deferred ? { deferred: true } : {}),
    needs: ownNeeds(name),
    title: () => ({ verb: name, target: '' }),
    // biome-ignore lint/correctness/useYield: one step
    execute: async function* () {
      return { ok: true, output: `${name} ran` };
    },
    toModel: (output) => [{ type: 'text', text: output }],
    view: () => ({ kind: 'generic', title: name, detail: '' }),
  });

const plain = tool('Plain', 'Always there.', false);
const issues = tool('mcp__hub__list_issues', 'Lists the issues of a repository.');
const mail = tool('mcp__post__send_mail', 'Sends a mail to someone about issues.');

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const offered = (n: number) =>
  open?.api.requests[n]?.body.tools?.map(({ name }: { readonly name: string }) => name);

describe('deferred tools', () => {
  it('are offered once they were found, and after a restart when they were used', async () => {
    open = await openTestSession(
      [
        reply([toolUse('ToolSearch', { query: 'issues', max_results: 1 })]),
        reply([toolUse('mcp__hub__list_issues', {})]),
        reply(['done']),
        reply(['again']),
      ],
      { tools: [plain, issues, mail, createToolSearchTool()] },
    );
    await open.run('what is open?');
    expect(offered(0)).toEqual(['Plain', 'ToolSearch']);
    expect(offered(1)).toEqual(['Plain', 'ToolSearch', 'mcp__hub__list_issues']);
    expect(JSON.stringify(open.api.requests[1]?.body.messages)).toContain(
      '- mcp__hub__list_issues: Lists the issues',
    );
    expect(JSON.stringify(open.api.requests[2]?.body.messages)).toContain('list_issues ran');
    await open.reopen();
    await open.run('and now?');
    expect(offered(3)).toEqual(['Plain', 'ToolSearch', 'mcp__hub__list_issues']);
  });

  it('cost nothing where there are none: ToolSearch is not offered either', async () => {
    open = await openTestSession([reply(['hi'])], { tools: [plain, createToolSearchTool()] });
    await open.run('hi');
    expect(offered(0)).toEqual(['Plain']);
  });
});

describe('looking for tools', () => {
  const all = [issues, mail];
  const names = (query: string, limit = 5) =>
    searchTools(all, query, limit).map(({ name }) => name);

  it.each([
    ['issues', ['mcp__hub__list_issues', 'mcp__post__send_mail']],
    ['send MAIL', ['mcp__post__send_mail']],
    ['select:mcp__post__send_mail, nope', ['mcp__post__send_mail']],
    ['select:mail', []],
    ['weather', []],
    ['!?', []],
  ])('%s', (query, expected) => {
    expect(names(query)).toEqual(expected);
  });

  it('keeps to its limit', () => {
    expect(names('issues', 1)).toHaveLength(1);
  });
});

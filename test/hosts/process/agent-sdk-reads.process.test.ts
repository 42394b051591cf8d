import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Query, SDKControlListPermissionRulesResponse } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { hang, reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, lacks, said } from './agent-sdk';

const { start, home, project, requests } = agentSdk();

/** The requests of the SDK's query that its types leave out. */
interface Asking extends Query {
  getSettings(): Promise<{ effective: object; sources: object[]; applied: object }>;
  listPermissionRules(): Promise<SDKControlListPermissionRulesResponse>;
  getPlan(): Promise<object>;
  askSideQuestion(
    question: string,
    more?: { history?: object[]; signal?: AbortSignal },
  ): Promise<object | null>;
  setCwd(path: string): Promise<object>;
  request(request: object): Promise<{ readonly response: unknown }>;
}

test.skipIf(lacks('list_permission_rules'))(
  'a program reads settings, rules and the plan, and asks beside the conversation',
  async () => {
    await mkdir(join(home(), '.claude'), { recursive: true });
    await writeFile(
      join(home(), '.claude', 'settings.json'),
      JSON.stringify({
        ...{ language: 'Latin', permissions: { deny: ['Read(secret)'] }, own: [1] },
        env: { TOKEN: 'a secret' },
      }),
    );
    await writeFile(join(project(), 'duck.ts'), '');
    const asked = Promise.withResolvers<void>();
    async function* prompts() {
      yield said('plan it');
      await asked.promise;
    }
    const plan = '1. Count the ducks';
    const script = [
      reply([toolUse('ExitPlanMode', { plan })]),
      reply('done'),
      reply('Two.'),
      hang(),
    ];
    const options = {
      settingSources: ['user' as const],
      settings: { language: 'Greek' },
      managedSettings: { permissions: { deny: ['WebFetch'], allow: ['Write'] } },
      allowedTools: ['Grep'],
      permissionMode: 'plan' as const,
      canUseTool: async () => ({ behavior: 'deny' as const, message: 'not yet' }),
    };
    const running = (await start(script, options, prompts())) as Asking;
    for await (const message of running) {
      if (message.type !== 'result') continue;
      const env = { TOKEN: '[hidden]' };
      const user = { language: 'Latin', permissions: { deny: ['Read(secret)'] }, own: [1], env };
      expect(await running.getSettings()).toMatchObject({
        effective: {
          ...user,
          language: 'Greek',
          permissions: { deny: ['Read(secret)', 'WebFetch'] },
        },
        sources: [
          { source: 'userSettings', settings: user },
          { source: 'flagSettings', settings: { language: 'Greek' } },
          // What of it counts: it can only restrict.
          { source: 'policySettings', settings: { permissions: { deny: ['WebFetch'], ask: [] } } },
        ],
        applied: { model: expect.stringContaining('claude-'), effort: expect.any(String) },
      });
      const { state } = await running.listPermissionRules();
      expect(state).toMatchObject({ managedOnly: false, workspaceDirectories: [] });
      expect(state.rules).toContainEqual({
        ...{ behavior: 'deny', source: 'userSettings', rule: 'Read(secret)' },
        editability: 'persistent',
      });
      expect(state.rules).toContainEqual({
        ...{ behavior: 'allow', source: 'cliArg', rule: 'Grep', editability: 'session' },
      });
      expect(await running.getPlan()).toEqual({ exists: true, content: plan });
      const history = [{ question: 'Which?', response: 'The ducks.' }];
      expect(await running.askSideQuestion('How many?', { history })).toEqual({
        ...{ response: 'Two.', synthetic: false },
      });
      expect(JSON.stringify(requests().at(-1)?.body)).toMatch(/The ducks\..*How many\?/);
      const { response } = await running.request({ subtype: 'file_suggestions', query: 'duck' });
      expect(response).toEqual({ suggestions: [{ path: 'duck.ts' }] });
      const withdrawn = new AbortController();
      const late = running.askSideQuestion('And now?', { signal: withdrawn.signal });
      await expect.poll(() => requests().length).toBe(4);
      withdrawn.abort();
      await expect(late).rejects.toThrow();
      await expect(running.setCwd('/')).rejects.toThrow(/does not carry out "set_cwd"/);
      asked.resolve();
    }
  },
);

test.skipIf(lacks('highlights'))(
  'where highlights of thinking are wished, no thinking comes',
  async () => {
    const asked = Promise.withResolvers<void>();
    async function* prompts() {
      yield said('first');
      await asked.promise;
      yield said('second');
    }
    const thinking = { type: 'adaptive' as const, display: 'summarized' as const };
    const options = { thinking, model: 'opus' };
    const running = await start([reply('one'), reply('two')], options, prompts());
    let isAsked = false;
    for await (const message of running) {
      if (message.type !== 'result' || isAsked) continue;
      isAsked = true;
      await running.setMaxThinkingTokens(null, 'highlights');
      asked.resolve();
    }
    const shown = requests().map(({ body }) => body.thinking);
    expect(shown).toMatchObject([{ display: 'summarized' }, { display: 'omitted' }]);
  },
);

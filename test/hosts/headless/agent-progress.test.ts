import { PassThrough, Writable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import type { HeadlessCommand } from '../../../src/main/hosts/common/command-line/command';
import { createOutput } from '../../../src/main/hosts/headless/output';
import { runHeadless } from '../../../src/main/hosts/headless/run-headless';
import { ok } from '../../../src/shared/result';
import { agentCall, echo, isMain, waitTool } from '../../engine/session/sub-agent-session';
import { createEchoTool } from '../../support/echo-tool';
import { IDLE_SESSION } from '../../support/headless-session';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { soon } from '../../support/soon';

let t: TestSession;
afterEach(() => t.close());

const OPTIONS = {
  ...{ folder: '/p', trust: false, fork: false },
  ...{ allowedTools: [], disallowedTools: [], addDirectories: [] },
};
const COMMAND: HeadlessCommand = {
  kind: 'headless',
  prompt: null,
  outputFormat: 'stream-json',
  inputFormat: 'stream-json',
  ...{ verbose: true, partialMessages: false, debug: false, options: OPTIONS },
};

it.each([true, false])(
  'a program that asks (%s) for it hears in words what a sub-agent does',
  async (asks) => {
    const gate = Promise.withResolvers<void>();
    const main = [reply([agentCall('general-purpose', 'c1')]), reply('the end')];
    const agents = [reply([echo('a', 'e1')]), reply([toolUse('Wait', {}, 'w1')]), reply('done')];
    const isAside = (body: { readonly messages?: unknown }) =>
      JSON.stringify(body.messages).includes('What are you doing right now?');
    t = await openTestSession(
      ({ body }) =>
        isAside(body)
          ? reply('Counting geese')
          : ((isMain(body) ? main : agents).shift() ?? reply('too many')),
      { tools: [createEchoTool(), waitTool(gate.promise), createAgentTool(BUILT_IN_AGENTS)] },
    );
    const { session, clock, api } = t;
    const lines: Readonly<Record<string, unknown>>[] = [];
    const out = new Writable({
      write(chunk, _, done) {
        for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
        done();
      },
    });
    const stdin = new PassThrough();
    const ending = new AbortController();
    const code = runHeadless(COMMAND, {
      out: createOutput(out, () => ending.abort(1)),
      input: { stream: stdin, isTerminal: false },
      open: async () =>
        ok({ ...IDLE_SESSION, submit: session.submit, onProgress: session.asides.onProgress }),
      ending: ending.signal,
      complain: () => {},
      version: '1.2.3',
      uuid: () => 'u',
      clock,
      known: (line) => line,
    });
    const send = (line: object) => stdin.write(`${JSON.stringify(line)}\n`);
    send({
      ...{ type: 'control_request', request_id: '1' },
      request: { subtype: 'initialize', ...(asks ? { agentProgressSummaries: true } : {}) },
    });
    send({ type: 'user', message: { role: 'user', content: 'go' } });
    const told = () => lines.filter(({ subtype }) => subtype === 'task_progress');
    // The main agent, and two requests of the sub-agent. While an answer is on its way, the pause would pass for its silence.
    await soon(() => expect(api.requests).toHaveLength(3));
    await soon(() => expect(JSON.stringify(lines)).toContain('"w1"'));
    await clock.advance(30_000);
    if (asks) await soon(() => expect(told()).toHaveLength(1));
    gate.resolve();
    stdin.end();
    expect(await code).toBe(0);
    expect(api.requests.filter(({ body }) => isAside(body))).toHaveLength(asks ? 1 : 0);
    expect(told()).toMatchObject(
      asks
        ? [
            {
              ...{ description: 'Watch', subagent_type: 'general-purpose', tool_use_id: 'c1' },
              ...{ summary: 'Counting geese', last_tool_name: 'Wait' },
              usage: { tool_uses: 2, duration_ms: 30_000 },
            },
          ]
        : [],
    );
  },
);

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type ClientConnection, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { soon } from '../../support/soon';
import { type Choose, connectEditor, firstOf, kinds, textIn } from './editor';
import { CLI, makeWorkspace, nothingLeft, type Run, startProgram, type Workspace } from './lathe';
import { installed, WANTED } from './npm-clients';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const { resolve } = createRequire(import.meta.url);

/** Adapters by which editors drive an agent, each as npm gives it. */
describe.runIf(WANTED).each([
  ['@agentclientprotocol/claude-agent-acp', '0.101.0'],
  ['@agentclientprotocol/claude-agent-acp', '0.100.0'],
  ['@zed-industries/claude-code-acp', '0.16.2'],
])('%s %s', (name, version) => {
  const npm = installed(`${name}@${version}`);
  const isNew = name.endsWith('claude-agent-acp');
  let workspace: Workspace;
  let api: ScriptedApi | null = null;
  let running: { readonly run: Run; readonly connection: ClientConnection }[] = [];
  beforeEach(async (context) => {
    npm.needed(context);
    workspace = await makeWorkspace();
  });
  const leave = async () => {
    for (const { run, connection } of running) {
      connection.close();
      run.child.stdin.end();
      // The older one does not end by itself.
      if (!isNew) run.child.kill();
      await run.finished;
    }
    running = [];
    await nothingLeft(workspace);
  };
  afterEach(async () => {
    await leave();
    expect(api?.refusals ?? []).toEqual([]);
    await api?.close();
    api = null;
    await workspace.remove();
  });

  async function edit(script: Script, choose: Choose = () => null) {
    api ??= await startScriptedApi(script);
    const run = startProgram(workspace, [process.execPath, npm.path(name, 'dist', 'index.js')], {
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'sk-test-0123456789',
      CLAUDE_CODE_EXECUTABLE: CLI,
      LATHE_CLAUDE_TRANSCRIPTS: '1',
    });
    const { connection, agent, updates, asked } = connectEditor(run, choose);
    running.push({ run, connection });
    await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    const open = () =>
      agent.request(methods.agent.session.new, { cwd: workspace.project, mcpServers: [] });
    const prompt = (sessionId: string, text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
    return { run, agent, open, prompt, updates, asked };
  }
  const requested = () => JSON.stringify(api?.requests.at(-1)?.body);
  const written = (file: string) =>
    readFile(join(workspace.project, file), 'utf8').catch(() => null);
  const write = (file: string) =>
    toolUse('Write', { file_path: join(workspace.project, file), content: 'one\n' });

  test('a prompt is answered with calls, changes, a plan and thinking, and asks', async () => {
    const { open, prompt, updates, asked } = await edit(
      [
        reply([
          { kind: 'thinking', text: 'One line.' },
          { kind: 'text', text: 'I write it.' },
          toolUse('TodoWrite', {
            todos: [{ content: 'Write', activeForm: 'Writing', status: 'in_progress' }],
          }),
          write('a.txt'),
        ]),
        reply([toolUse('Bash', { command: 'touch b.txt' })]),
        reply('All written.'),
      ],
      firstOf('allow_once'),
    );
    const { sessionId } = await open();
    await soon(() => expect(kinds(updates)).toContain('available_commands_update'));
    expect(await prompt(sessionId, 'write it')).toMatchObject({ stopReason: 'end_turn' });
    expect([await written('a.txt'), await written('b.txt')]).toEqual(['one\n', '']);
    expect(textIn(updates, 'agent_message_chunk')).toContain('All written.');
    expect(textIn(updates, 'agent_thought_chunk')).toContain('One line.');
    expect(JSON.stringify(updates)).toContain('"type":"diff"');
    expect(kinds(updates)).toContain('plan');
    expect(asked.length).toBeGreaterThan(0);
  });

  test('what is denied does not run, and what is always allowed is asked once', async () => {
    let kind: 'reject_once' | 'allow_always' = 'reject_once';
    const { open, prompt, asked } = await edit(
      [
        reply([write('no.txt')]),
        // A no to the older one ends the prompt.
        ...(isNew ? [reply('Not then.')] : []),
        reply([write('yes.txt')]),
        reply([write('more.txt')]),
        reply('Done.'),
      ],
      (options) => firstOf(kind)(options),
    );
    const { sessionId } = await open();
    await prompt(sessionId, 'one');
    expect(await written('no.txt')).toBeNull();
    kind = 'allow_always';
    await prompt(sessionId, 'two');
    expect([await written('yes.txt'), await written('more.txt')]).toEqual(['one\n', 'one\n']);
    expect(asked).toHaveLength(2);
  });

  test('images, resources and links go along', async () => {
    const { agent, open } = await edit(() => reply('Seen.'));
    const { sessionId } = await open();
    await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: 'text', text: 'look at ' },
        { type: 'image', mimeType: 'image/png', data: PNG },
        { type: 'resource', resource: { uri: 'file:///n.txt', text: 'a note' } },
        { type: 'resource_link', uri: `file://${workspace.project}/gone.txt`, name: 'gone.txt' },
      ],
    });
    expect(requested()).toContain(PNG);
    expect(requested()).toContain('a note');
    expect(requested()).toContain('gone.txt');
  });

  test('a cancelled prompt takes its question back, and the session goes on', async () => {
    const { agent, open, prompt, asked } = await edit([
      reply([write('never.txt')]),
      reply('Here again.'),
    ]);
    const { sessionId } = await open();
    const answered = prompt(sessionId, 'go');
    await soon(() => expect(asked).toHaveLength(1));
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await answered).toMatchObject({ stopReason: 'cancelled' });
    expect(await prompt(sessionId, 'again')).toMatchObject({ stopReason: 'end_turn' });
    expect(await written('never.txt')).toBeNull();
  });

  test('a mode is set, and a tool server of the editor is called', async () => {
    const { agent, prompt, asked } = await edit(
      [
        reply([write('free.txt')]),
        reply('Free.'),
        reply([toolUse('ToolSearch', { query: 'select:mcp__everything__echo' })]),
        reply([toolUse('mcp__everything__echo', { message: 'grüße' })]),
        reply('Echoed.'),
      ],
      firstOf('allow_once'),
    );
    const { sessionId } = await agent.request(methods.agent.session.new, {
      cwd: workspace.project,
      mcpServers: [
        {
          name: 'everything',
          command: process.execPath,
          args: [resolve('@modelcontextprotocol/server-everything/dist/index.js')],
          env: [],
        },
      ],
    });
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'acceptEdits' });
    await prompt(sessionId, 'write');
    expect(await written('free.txt')).toBe('one\n');
    expect(asked).toEqual([]);
    await prompt(sessionId, 'echo');
    expect(requested()).toContain('Echo: grüße');
  });

  test('a session is listed, loaded and gone on with in another run', async () => {
    const first = await edit([reply('Hello.'), reply('And on.')]);
    const { sessionId } = await first.open();
    await first.prompt(sessionId, 'greet');
    await leave();
    const { agent, prompt, updates } = await edit([]);
    if (isNew) {
      const { sessions } = await agent.request(methods.agent.session.list, {
        cwd: workspace.project,
      });
      expect(sessions.map((one) => one.sessionId)).toContain(sessionId);
    }
    await agent.request(methods.agent.session.load, {
      ...{ sessionId, cwd: workspace.project },
      mcpServers: [],
    });
    expect(textIn(updates, 'user_message_chunk')).toContain('greet');
    expect(textIn(updates, 'agent_message_chunk')).toContain('Hello.');
    expect(await prompt(sessionId, 'go on')).toMatchObject({ stopReason: 'end_turn' });
    expect(requested()).toContain('Hello.');
  });
});

import { expect, it } from 'vitest';
import type { HeadlessSession } from '../../../src/main/app/headless-session';
import { createControls } from '../../../src/main/hosts/headless/control';
import { err, fault, ok } from '../../../src/shared/result';
import { IDLE_SESSION } from '../../support/headless-session';

const NOTHING_WAITS = { ids: () => [], cancel: () => false };

it.each([
  [{ subtype: 'mcp_reconnect', serverName: 'a' }, true, 'reconnect a'],
  [{ subtype: 'mcp_toggle', serverName: 'a', enabled: false }, true, 'enable a false'],
  [{ subtype: 'mcp_toggle', serverName: 'a', enabled: true }, true, 'enable a true'],
  [{ subtype: 'mcp_toggle', serverName: 'a' }, false, '"enabled" must be true or false.'],
  [{ subtype: 'mcp_reconnect' }, false, '"serverName" must be the name of a server.'],
  [{ subtype: 'mcp_reconnect', serverName: 'b' }, false, 'There is no tool server "b".'],
])(
  'a program can have servers connected anew and switched off: %j',
  async (request, fine, told) => {
    const done: string[] = [];
    const session = {
      ...IDLE_SESSION,
      reconnectServer: (name: string) => name === 'a' && done.push(`reconnect ${name}`) > 0,
      enableServer: (name: string, on: boolean) => done.push(`enable ${name} ${on}`) > 0,
    };
    const answer = await createControls(session, '0', () => {}, NOTHING_WAITS)(request);
    expect(answer.ok).toBe(fine);
    expect(answer.ok ? done[0] : answer.error.message).toBe(told);
  },
);

it.each<[object, boolean, unknown]>([
  [{ subtype: 'background_tasks', tool_use_id: 'c1' }, true, { backgrounded: true }],
  [{ subtype: 'background_tasks' }, true, { backgrounded: false }],
  [
    { subtype: 'background_tasks', tool_use_id: 1 },
    false,
    '"tool_use_id" must be the id of a call.',
  ],
  [{ subtype: 'rename_session', title: ' New ' }, true, {}],
  [{ subtype: 'set_color', color: 'blue' }, true, {}],
  [{ subtype: 'set_color', color: 'default' }, true, {}],
  [
    { subtype: 'set_color', color: 'mud' },
    false,
    expect.stringContaining('"color" must be one of'),
  ],
  [{ subtype: 'generate_session_title', description: 'tugs' }, true, { title: 'About tugs' }],
  [
    { subtype: 'generate_session_title', description: 'tugs', persist: true },
    true,
    { title: 'About tugs' },
  ],
  [{ subtype: 'generate_session_title', description: '' }, true, { title: null }],
  [{ subtype: 'generate_session_title' }, false, '"description" must be a text.'],
  [{ subtype: 'rename_session', title: ' ' }, false, '"title" must be a text.'],
  [
    { subtype: 'mcp_read_resource', serverName: 'a', uri: 'x:y' },
    true,
    { contents: [{ uri: 'x:y', text: 'read' }] },
  ],
  [{ subtype: 'mcp_read_resource', serverName: 'b', uri: 'x:y' }, false, 'There is none.'],
  [
    { subtype: 'mcp_read_resource', serverName: 'b' },
    false,
    '"uri" must be the address of a resource.',
  ],
  [{ subtype: 'apply_flag_settings', settings: { model: 'opus', effortLevel: null } }, true, {}],
  [
    { subtype: 'apply_flag_settings', settings: { model: 'opus', agent: 'x' } },
    false,
    'Lathe cannot change the setting "agent" in a run.',
  ],
  [
    { subtype: 'set_cwd', path: '/' },
    false,
    'Lathe does not carry out "set_cwd": a session stays in its folder.',
  ],
  [{ subtype: 'toString' }, false, 'Lathe does not know the control request "toString".'],
  [{ subtype: 'side_question' }, false, '"question" must be a text.'],
  [{ subtype: 'fly' }, false, 'Lathe does not know the control request "fly".'],
  [{ subtype: 'seed_read_state' }, false, '"path" must be the path of a file.'],
  [{ subtype: 'seed_read_state', path: 'a' }, false, '"mtime" must be a time in milliseconds.'],
  [{ subtype: 'seed_read_state', path: 'a', mtime: 1 }, true, {}],
  [{ subtype: 'read_file', path: 'a', encoding: 'latin1' }, false, /"encoding" must be/],
  [{ subtype: 'read_file', path: 'a', max_bytes: 0 }, false, /"max_bytes" must be/],
  [{ subtype: 'reload_skills' }, true, { skills: [] }],
  [{ subtype: 'reload_output_styles' }, true, { available_output_styles: [] }],
  [{ subtype: 'reload_plugins', add_plugins: [{ type: 'git' }] }, false, /absolute paths/],
  [{ subtype: 'update_settings', source: 'managed', settings: {} }, false, /"source" must be/],
  [
    { subtype: 'set_mcp_permission_mode_override', serverName: 'a', mode: 'plan' },
    false,
    /"mode" must be/,
  ],
  [
    { subtype: 'set_mcp_permission_mode_override', serverName: 'a', mode: null },
    true,
    { warning: expect.stringContaining('"a"') },
  ],
])('a program can ask %j', async (request, fine, expected) => {
  const changed: string[] = [];
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    background: (id) => id === 'c1',
    suggestTitle: async (text) => (text === '' ? null : `About ${text}`),
    rename: (title) => void changed.push(title),
    readResource: async (server, uri) =>
      server === 'a' ? ok({ contents: [{ uri, text: 'read' }] }) : err('There is none.'),
  };
  const answer = await createControls(
    session,
    '0',
    () => {},
    NOTHING_WAITS,
  )({ subtype: '', ...request });
  expect(answer.ok).toBe(fine);
  const told = answer.ok ? answer.value : answer.error.message;
  if (expected instanceof RegExp) expect(told).toMatch(expected);
  else expect(told).toEqual(expected);
  const kept = 'persist' in request ? ['About tugs'] : [];
  expect(changed).toEqual(fine && 'title' in request ? ['New'] : kept);
});

it('tells what a run has used', async () => {
  const session = { ...IDLE_SESSION, took: () => ({ apiMs: 20, durationMs: 30 }) };
  expect(
    await createControls(session, '0', () => {}, NOTHING_WAITS)({ subtype: 'get_usage' }),
  ).toMatchObject({
    ok: true,
    value: {
      session: { total_cost_usd: 0, total_api_duration_ms: 20, total_duration_ms: 30 },
      rate_limits_available: false,
    },
  });
});

it('tells which prompts wait when a query is stopped, and drops one that is named', async () => {
  const waiting = { ids: () => ['p2'], cancel: (id: string) => id === 'p2' };
  const ask = createControls(IDLE_SESSION, '0', () => {}, waiting);
  const drop = (id: unknown) => ask({ subtype: 'cancel_async_message', message_uuid: id });
  expect(await ask({ subtype: 'interrupt' })).toEqual(ok({ still_queued: ['p2'] }));
  expect(await drop('p2')).toEqual(ok({ cancelled: true }));
  expect(await drop('p3')).toEqual(ok({ cancelled: false }));
  expect(await drop(7)).toMatchObject({ ok: false });
});

it.each(['always_deny', 'always_ask', 'no such word'])(
  'refuses a server that comes in the middle of a run with a policy: %s',
  async (permission_policy) => {
    const named: string[] = [];
    const session: HeadlessSession = {
      ...IDLE_SESSION,
      nameServers: (servers) => void named.push(...servers.map(({ name }) => name)),
    };
    const free = { command: 'one' };
    const servers = { free, bound: { ...free, tools: [{ name: 'a', permission_policy }] } };
    const ask = createControls(session, '0', () => {}, NOTHING_WAITS);
    expect(await ask({ subtype: 'mcp_set_servers', servers })).toEqual(
      ok({
        ...{ added: ['free'], removed: [] },
        errors: { bound: expect.stringContaining('can only be given when the run begins') },
      }),
    );
    expect(named).toEqual(['free']);
  },
);

it('drops the prompts that wait when a query is stopped, where the program wants that', async () => {
  let ids: readonly string[] = ['p1', 'p2'];
  const cancel = (id: string) => {
    ids = ids.filter((one) => one !== id);
    return true;
  };
  const ask = createControls(IDLE_SESSION, '0', () => {}, { ids: () => ids, cancel });
  expect(await ask({ subtype: 'interrupt', cancel_queued: true })).toEqual(
    ok({ still_queued: [], cancelled: ['p1', 'p2'] }),
  );
});

it.each<[object, object]>([
  [{ subtype: 'get_session_cost' }, { text: expect.stringContaining('Total cost: $0.0000') }],
  [{ subtype: 'list_models' }, { models: [] }],
  [{ subtype: 'set_has_subscribers', has_subscribers: false }, {}],
  [
    { subtype: 'get_binary_version' },
    { version: expect.stringMatching(/^2\./), lathe_version: '0' },
  ],
])('answers %j', async (request, answer) => {
  const ask = createControls(IDLE_SESSION, '0', () => {}, NOTHING_WAITS);
  expect(await ask({ subtype: '', ...request })).toEqual(ok(answer));
});

it('takes plugins that join a run, and refuses them while it works where the program says so', async () => {
  const joined: unknown[] = [];
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    isRunning: () => joined.length > 0,
    reload: async (plugins) => void joined.push(plugins),
  };
  const ask = createControls(session, '0', () => {}, NOTHING_WAITS);
  const add = (path: string) =>
    ask({
      subtype: 'reload_plugins',
      add_plugins: [{ type: 'local', path, skipMcpDiscovery: true }],
      refuse_if_busy: true,
    });
  expect(await add('relative')).toMatchObject({ ok: false, error: { code: 'bad_request' } });
  expect(await add('/p')).toMatchObject({ ok: true });
  expect(joined).toEqual([[{ path: '/p', isServerless: true }]]);
  expect(await add('/q')).toMatchObject({ ok: false, error: { code: 'reload_plugins_busy' } });
});

it.each<[string, number[], number, object]>([
  ['the whole', [0x61, 0x62], 2, { output: 'ab', total_bytes: 2, truncated: false }],
  ['nothing', [], 0, { output: '', total_bytes: 0, truncated: false }],
  ['a cut in ü', [0xbc, 0x61], 9_000, { output: 'a', total_bytes: 9_000, truncated: true }],
  ['a cut before ü', [0xc3, 0xbc], 9_000, { output: 'ü', total_bytes: 9_000, truncated: true }],
  ['no text', [0xbc, 0xbc], 2, { output: '\ufffd\ufffd', total_bytes: 2, truncated: false }],
])('gives the end of what a task printed: %s', async (_, bytes, totalBytes, told) => {
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    taskOutput: async (id, maxBytes) =>
      id === 'b1' && maxBytes === 8_192
        ? ok({ end: Uint8Array.from(bytes), totalBytes })
        : err(fault('no_task', 'There is none.')),
  };
  const ask = createControls(session, '0', () => {}, NOTHING_WAITS);
  const read = (task_id: unknown) => ask({ subtype: 'get_task_output', task_id });
  expect(await read('b1')).toEqual(ok(told));
  expect(await read('b2')).toMatchObject({ ok: false });
  expect(await read(7)).toMatchObject({ ok: false });
});

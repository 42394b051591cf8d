import { describe, expect, it } from 'vitest';
import { linesKnownTo } from '../../../src/main/hosts/headless/known-lines';

const sdk = (version?: string) => ({
  CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
  ...(version === undefined ? {} : { CLAUDE_AGENT_SDK_VERSION: version }),
});
const system = (subtype: string, more: object = {}) => ({ type: 'system', subtype, ...more });

const LATE = [
  [{ type: 'system', subtype: 'hook_response' }, '0.1.14', '0.1.15'],
  [system('status', { status: null }), '0.1.30', '0.1.31'],
  [{ type: 'tool_progress' }, '0.1.43', '0.1.44'],
  [system('task_notification'), '0.2.9', '0.2.11'],
  [system('hook_progress'), '0.2.15', '0.2.16'],
  [system('elicitation_complete'), '0.2.62', '0.2.63'],
  [system('local_command_output'), '0.2.62', '0.2.63'],
  [system('memory_recall'), '0.2.104', '0.2.105'],
  [system('notification'), '0.2.104', '0.2.105'],
  [system('model_refusal_no_fallback'), '0.3.191', '0.3.193'],
  [system('control_request_progress'), '0.3.202', '0.3.203'],
  [system('hook_started'), '0.2.14', '0.2.15'],
  [system('task_started'), '0.2.44', '0.2.45'],
  [system('task_progress'), '0.2.50', '0.2.51'],
  [{ type: 'rate_limit_event' }, '0.2.52', '0.2.53'],
  [{ type: 'prompt_suggestion' }, '0.2.62', '0.2.63'],
  [system('api_retry'), '0.2.76', '0.2.77'],
  [system('session_state_changed'), '0.2.81', '0.2.83'],
  [system('task_updated'), '0.2.100', '0.2.101'],
  [system('status', { status: 'requesting' }), '0.2.107', '0.2.108'],
  [system('plugin_install', { status: 'started' }), '0.2.107', '0.2.108'],
  [system('permission_denied'), '0.2.133', '0.2.136'],
  [system('commands_changed'), '0.3.160', '0.3.161'],
  [system('informational'), '0.3.177', '0.3.178'],
  [system('background_tasks_changed'), '0.3.202', '0.3.203'],
] as const;

describe('a line that came late', () => {
  it.each(LATE)('%j is not sent to %s, and is to %s', (line, before, since) => {
    expect(linesKnownTo(sdk(before))(line)).toBeNull();
    expect(linesKnownTo(sdk(since))(line)).toBe(line);
    expect(linesKnownTo(sdk('1.0.0'))(line)).toBe(line);
  });
});

describe('a value that came late', () => {
  const init = (more: object) => system('init', more);
  const answer = (more: object) => ({ type: 'assistant', message: {}, ...more });
  const result = (more: object) => ({ type: 'result', subtype: 'success', ...more });
  it.each([
    [init({ apiKeySource: 'none' }), '0.3.233', init({ apiKeySource: 'user' }), '0.3.234'],
    [init({ permissionMode: 'auto' }), '0.2.90', init({ permissionMode: 'default' }), '0.2.91'],
    [init({ permissionMode: 'dontAsk' }), '0.1.53', init({ permissionMode: 'default' }), '0.1.54'],
    [result({ terminal_reason: 'budget_exhausted' }), '0.3.205', result({}), '0.3.206'],
    [answer({ error: 'overloaded' }), '0.3.160', answer({ error: 'server_error' }), '0.3.161'],
    [answer({ error: 'overloaded' }), '0.1.47', answer({}), '0.3.161'],
    [
      answer({ error: 'model_not_found' }),
      '0.3.143',
      answer({ error: 'invalid_request' }),
      '0.3.144',
    ],
    [answer({ error: 'max_output_tokens' }), '0.2.37', answer({ error: 'unknown' }), '0.2.38'],
    [
      { ...result({ is_error: true }), subtype: 'error_max_structured_output_retries' },
      '0.1.43',
      { ...result({ is_error: true }), subtype: 'error_during_execution' },
      '0.1.44',
    ],
    [
      { ...result({ is_error: true }), subtype: 'error_max_budget_usd' },
      '0.1.29',
      { ...result({ is_error: true }), subtype: 'error_during_execution' },
      '0.1.30',
    ],
  ])('%j becomes for %s %j, and stays for %s', (line, before, there, since) => {
    expect(linesKnownTo(sdk(before))(line)).toEqual(there);
    expect(linesKnownTo(sdk(since))(line)).toEqual(line);
  });
});

it.each([
  { type: 'control_request', request: { subtype: 'can_use_tool' } },
  { type: 'control_response', response: { subtype: 'error' }, error: 'overloaded' },
  { type: 'control_cancel_request', request_id: '1' },
  { type: 'transcript_mirror', entries: [] },
  { type: 'user', message: {}, status: 'requesting', error: 'overloaded' },
  system('compact_boundary'),
  { type: 'result', subtype: 'success', result: 'Done.' },
])('%j reaches the oldest program as it is', (line) => {
  expect(linesKnownTo(sdk('0.1.0'))(line)).toEqual(line);
});

describe('a program that does not say its version', () => {
  const requesting = system('status', { status: 'requesting' });
  const informational = system('informational');

  it('gets every line where it is not known to be the SDK, or says what is no version', () => {
    for (const env of [
      {},
      { CLAUDE_AGENT_SDK_VERSION: '0.1.44' },
      { CLAUDE_CODE_ENTRYPOINT: 'sdk-py', CLAUDE_AGENT_SDK_VERSION: '0.1.44' },
      { CLAUDE_CODE_ENTRYPOINT: 'claude-vscode' },
      sdk('next'),
    ]) {
      expect(linesKnownTo(env)(informational), JSON.stringify(env)).toBe(informational);
    }
  });

  it('is older than those that always do, where it is the SDK', () => {
    const known = linesKnownTo(sdk());
    expect(known(requesting)).toBe(requesting);
    expect(known(informational)).toBeNull();
  });
});

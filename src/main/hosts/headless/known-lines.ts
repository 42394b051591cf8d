import type { Json } from './api-shape';

/**
 * Lines that came late, by `type`, `subtype`, or `subtype` and `status`, each with the first version of
 * `@anthropic-ai/claude-agent-sdk` whose `SDKMessage` has it. Older programs do without them, also where no other
 * line says it, as of waits (`api_retry`) and ends of background tasks (`task_notification`). Notices (`informational`,
 * `notification`) are told on standard error then.
 */
const LINES: Readonly<Record<string, string>> = {
  hook_response: '0.1.15',
  status: '0.1.31',
  tool_progress: '0.1.44',
  task_notification: '0.2.11',
  hook_started: '0.2.15',
  hook_progress: '0.2.16',
  tool_use_summary: '0.2.19',
  task_started: '0.2.45',
  task_progress: '0.2.51',
  rate_limit_event: '0.2.53',
  prompt_suggestion: '0.2.63',
  elicitation_complete: '0.2.63',
  local_command_output: '0.2.63',
  api_retry: '0.2.77',
  session_state_changed: '0.2.83',
  task_updated: '0.2.101',
  memory_recall: '0.2.105',
  notification: '0.2.105',
  'status requesting': '0.2.108',
  plugin_install: '0.2.108',
  permission_denied: '0.2.136',
  thinking_tokens: '0.3.153',
  commands_changed: '0.3.161',
  model_refusal_fallback: '0.3.170',
  informational: '0.3.178',
  model_refusal_no_fallback: '0.3.193',
  conversation_reset: '0.3.198',
  background_tasks_changed: '0.3.203',
  control_request_progress: '0.3.203',
  session_writes_lost: '0.3.317',
};

interface LateValue {
  readonly field: string;
  /** Absent: every value of the field. */
  readonly value?: string;
  readonly since: string;
  /** The nearest value that older types know; absent: the field is left out. */
  readonly before?: string;
}

const ERROR = 'error_during_execution';
const FAILED_AUTH = 'authentication_failed';

/** Values of fields that came late. What stands for one may itself be late, so the newest come first. */
const VALUES: readonly LateValue[] = [
  { field: 'error', value: 'cloud_credential_error', since: '0.3.330', before: FAILED_AUTH },
  { field: 'apiKeySource', since: '0.3.234', before: 'user' },
  { field: 'terminal_reason', value: 'budget_exhausted', since: '0.3.206' },
  { field: 'terminal_reason', value: 'malformed_tool_use_exhausted', since: '0.3.206' },
  { field: 'terminal_reason', value: 'tool_deferred_unavailable', since: '0.3.206' },
  { field: 'error', value: 'overloaded', since: '0.3.161', before: 'server_error' },
  { field: 'error', value: 'model_not_found', since: '0.3.144', before: 'invalid_request' },
  { field: 'permissionMode', value: 'auto', since: '0.2.91', before: 'default' },
  { field: 'error', value: 'max_output_tokens', since: '0.2.38', before: 'unknown' },
  { field: 'permissionMode', value: 'dontAsk', since: '0.1.54', before: 'default' },
  { field: 'error', since: '0.1.49' },
  {
    field: 'subtype',
    value: 'error_max_structured_output_retries',
    since: '0.1.44',
    before: ERROR,
  },
  { field: 'subtype', value: 'error_max_budget_usd', since: '0.1.30', before: ERROR },
];

/** The kinds of lines that are messages; those of the control protocol pass as they are. */
const MESSAGES: ReadonlySet<unknown> = new Set(['system', 'assistant', 'result']);

/** From this version on, every program of the SDK says its version, also with an environment of its own. */
const SAYS_VERSION = '0.3.149';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns what makes of a line the one that the types of the program's SDK know; null where they have none. Whoever says
 * nothing of a version gets every line. Pure.
 */
export function linesKnownTo(env: Environment): (line: Json) => Json | null {
  const isOlderThan = ageOf(env);
  const lines = new Set(Object.keys(LINES).filter((key) => isOlderThan(LINES[key] ?? '')));
  const values = VALUES.filter(({ since }) => isOlderThan(since));
  if (lines.size === 0 && values.length === 0) return (line) => line;
  return (line) => {
    const { type, subtype, status } = line;
    const keys = type === 'system' ? [subtype, `${subtype} ${status}`] : [type];
    if (keys.some((key) => lines.has(String(key)))) return null;
    return MESSAGES.has(type) ? values.reduce(withoutLate, line) : line;
  };
}

/** Returns what tells whether the program's SDK is older than a version that it is given. */
function ageOf(env: Environment): (version: string) => boolean {
  // The SDK for Python counts versions of its own under the same name.
  if (env['CLAUDE_CODE_ENTRYPOINT'] !== 'sdk-ts') return () => false;
  const own = env['CLAUDE_AGENT_SDK_VERSION'];
  if (own === undefined) return (version) => sortable(SAYS_VERSION) <= sortable(version);
  const [said] = /^\d{1,4}\.\d{1,4}\.\d{1,4}/.exec(own) ?? [];
  return (version) => said !== undefined && sortable(said) < sortable(version);
}

/** Returns a version as a text that sorts as versions do. */
const sortable = (version: string): string =>
  version
    .split('.')
    .map((part) => part.padStart(4, '0'))
    .join('.');

function withoutLate(line: Json, { field, value, before }: LateValue): Json {
  if (!(field in line) || (value !== undefined && line[field] !== value)) return line;
  const { [field]: _, ...rest } = line;
  return before === undefined ? rest : { ...line, [field]: before };
}

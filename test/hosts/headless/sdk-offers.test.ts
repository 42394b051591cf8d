import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Sdk from '@anthropic-ai/claude-agent-sdk';
import { expect, it } from 'vitest';

/*
 * All that the agent SDK offers by its types, each with the test that shows it here, or why it is not there. The compiler
 * compares these tables with `sdk.d.ts`: what a new version adds is red until somebody has given a verdict.
 */

/** The tests, by the word that names them below. */
const TESTS = {
  agents: '../engine/agents/read-agents.test.ts',
  asides: '../engine/session/asides.test.ts',
  asks: 'process/agent-sdk-asks.process.test.ts',
  askedFirst: '../engine/hooks/asked-first.process.test.ts',
  begin: 'process/driven-begin.process.test.ts',
  control: 'headless/control.test.ts',
  elicit: 'headless/program-parts.test.ts',
  known: 'headless/known-lines.test.ts',
  lines: 'headless/stream-json.test.ts',
  main: 'process/agent-sdk.process.test.ts',
  more: 'process/agent-sdk-more.process.test.ts',
  options: 'process/agent-sdk-options.process.test.ts',
  parts: 'process/agent-sdk-parts.process.test.ts',
  reads: 'process/agent-sdk-reads.process.test.ts',
  rest: 'process/agent-sdk-rest.process.test.ts',
  runtimeConfig: '../sandbox/runtime-config.test.ts',
  sandboxed: 'process/sandboxed.process.test.ts',
  sandboxSettings: '../engine/settings/sandbox.test.ts',
  sandboxWalls: '../sandbox/sandbox.process.test.ts',
  serverControls: 'headless/server-controls.test.ts',
  beats: 'headless/call-beats.test.ts',
  servers: 'process/agent-sdk-servers.process.test.ts',
  setUp: 'process/agent-sdk.ts',
  systemLines: 'headless/system-lines.test.ts',
  surroundings: '../engine/hooks/surroundings.process.test.ts',
  told: '../engine/hooks/told.process.test.ts',
  toldLines: 'process/agent-sdk-told.process.test.ts',
  transcripts: 'process/claude-transcripts.process.test.ts',
  typedLines: 'headless/sdk-types.process.test.ts',
  types: 'process/agent-sdk-types.process.test.ts',
} as const;
type Test = keyof typeof TESTS;

/** A test whose text has the word, or why there is none. */
type Verdict = Test | `none: ${string}`;

/** The keys of a type, without those that a type with further ones admits. */
type KeyOf<T> = keyof { [K in keyof T as string extends K ? never : K]: 1 } & string;

const OPTIONS: Record<KeyOf<Sdk.Options>, Verdict> = {
  abortController: 'more',
  additionalDirectories: 'main',
  projectConfigRoot: 'options',
  agent: 'more',
  agents: 'main',
  allowedTools: 'main',
  canUseTool: 'asks',
  continue: 'main',
  cwd: 'setUp',
  disallowedTools: 'main',
  toolAliases: 'options',
  tools: 'main',
  env: 'setUp',
  executable: 'rest',
  executableArgs: 'more',
  extraArgs: 'main',
  fallbackModel: 'more',
  enableFileCheckpointing: 'main',
  toolConfig: 'parts',
  forkSession: 'main',
  betas: 'more',
  hooks: 'asks',
  onElicitation: 'servers',
  onUserDialog: 'more',
  supportedDialogKinds: 'more',
  perTaskStopAffordance: 'parts',
  persistSession: 'main',
  sessionStore: 'transcripts',
  sessionStoreFlush: 'none: the SDK alone goes by it',
  loadTimeoutMs: 'none: the SDK alone goes by it',
  includeHookEvents: 'more',
  includePartialMessages: 'main',
  forwardSubagentText: 'more',
  verbatimPrompts: 'more',
  thinking: 'options',
  effort: 'more',
  maxThinkingTokens: 'rest',
  maxTurns: 'main',
  maxBudgetUsd: 'more',
  taskBudget: 'options',
  mcpServers: 'main',
  mcpServersDelivery: 'more',
  model: 'main',
  outputFormat: 'main',
  pathToClaudeCodeExecutable: 'setUp',
  permissionMode: 'main',
  planModeInstructions: 'options',
  allowDangerouslySkipPermissions: 'asks',
  permissionPromptToolName: 'options',
  permissionPrompts: 'options',
  plugins: 'options',
  pluginDelivery: 'options',
  promptSuggestions: 'options',
  agentProgressSummaries: 'none: it comes every 30 s; what it tells is tested in asides.test.ts',
  resume: 'main',
  sessionId: 'more',
  resumeSessionAt: 'options',
  resumeDropsTurn: 'options',
  sandbox: 'rest',
  settings: 'more',
  managedSettings: 'options',
  settingSources: 'main',
  skills: 'options',
  debug: 'rest',
  debugFile: 'rest',
  stderr: 'rest',
  strictMcpConfig: 'more',
  systemPrompt: 'main',
  title: 'more',
  spawnClaudeCodeProcess: 'more',
};

const QUERY: Record<Exclude<KeyOf<Sdk.Query>, KeyOf<AsyncGenerator>>, Test> = {
  interrupt: 'main',
  setPermissionMode: 'main',
  setMcpPermissionModeOverride: 'options',
  setModel: 'main',
  setMaxThinkingTokens: 'main',
  applyFlagSettings: 'options',
  updateSettings: 'options',
  initializationResult: 'types',
  reinitialize: 'more',
  supportedCommands: 'main',
  supportedModels: 'main',
  supportedAgents: 'types',
  mcpServerStatus: 'main',
  getContextUsage: 'main',
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: 'types',
  readFile: 'options',
  reloadPlugins: 'options',
  reloadSkills: 'options',
  reloadOutputStyles: 'options',
  accountInfo: 'main',
  rewindFiles: 'main',
  seedReadState: 'options',
  reconnectMcpServer: 'rest',
  toggleMcpServer: 'rest',
  readMcpResource: 'servers',
  setMcpServers: 'parts',
  streamInput: 'rest',
  stopTask: 'parts',
  backgroundTasks: 'rest',
  close: 'more',
};

const NOTHING_OF_IT = 'none: let in, and never run: nothing here is what it tells of';
const HOOKS: Record<Sdk.HookEvent, Verdict> = {
  PreToolUse: 'asks',
  PostToolUse: 'more',
  PostToolUseFailure: 'types',
  PostToolBatch: 'types',
  Notification: 'told',
  UserPromptSubmit: 'asks',
  UserPromptExpansion: 'types',
  SessionStart: 'types',
  SessionEnd: 'none: the SDK has hung up by then, so that nobody hears a callback',
  Stop: 'types',
  StopFailure: 'told',
  SubagentStart: 'types',
  SubagentStop: 'asks',
  PreCompact: 'types',
  PostCompact: 'types',
  PreModelSwitch: 'types',
  PostModelSwitch: 'types',
  PermissionRequest: 'asks',
  PermissionDenied: 'told',
  Setup: NOTHING_OF_IT,
  TeammateIdle: NOTHING_OF_IT,
  TaskCreated: NOTHING_OF_IT,
  TaskCompleted: NOTHING_OF_IT,
  Elicitation: 'askedFirst',
  ElicitationResult: 'askedFirst',
  ConfigChange: 'surroundings',
  WorktreeCreate: 'askedFirst',
  WorktreeRemove: 'askedFirst',
  InstructionsLoaded: 'types',
  CwdChanged: 'types',
  FileChanged: 'types',
  DirectoryAdded: NOTHING_OF_IT,
  MessageDisplay: 'types',
};

/** The kind of a message: its type, and its subtype where that says more. */
type Kind<M> = M extends { type: 'system' | 'result'; subtype: infer S extends string }
  ? S
  : M extends { type: infer T extends string }
    ? T
    : never;
const CLOUD = 'none: only sessions in a cloud send it';
const MESSAGES: Record<Kind<Sdk.SDKMessage>, Verdict> = {
  assistant: 'main',
  user: 'main',
  success: 'main',
  error_during_execution: 'main',
  error_max_turns: 'main',
  error_max_budget_usd: 'lines',
  error_max_structured_output_retries: 'toldLines',
  init: 'main',
  stream_event: 'main',
  compact_boundary: 'lines',
  status: 'main',
  api_retry: 'lines',
  control_request_progress: 'toldLines',
  model_refusal_fallback:
    'none: a prompt that a model declined is put to no other one; model_refusal_no_fallback tells it',
  model_refusal_no_fallback: 'systemLines',
  local_command_output: 'toldLines',
  hook_started: 'typedLines',
  hook_progress: 'toldLines',
  hook_response: 'more',
  plugin_install: 'none: a run installs no plugins; it has those that stand there when it begins',
  tool_progress: 'beats',
  auth_status: 'none: a run signs in nowhere; it has its key, or does not begin',
  task_notification: 'parts',
  task_started: 'options',
  task_updated: 'lines',
  task_progress: 'known',
  background_tasks_changed: 'options',
  thinking_tokens:
    'none: the API counts thinking only for those who ask by a beta that Lathe does not ask for',
  session_state_changed: 'options',
  worker_shutting_down: CLOUD,
  commands_changed: 'known',
  notification: 'none: notices are no toasts that come and go here; informational tells them',
  files_persisted: CLOUD,
  tool_use_summary: 'none: it takes a further request to a model for each batch of calls',
  memory_recall: 'toldLines',
  rate_limit_event: 'none: of plans of claude.ai',
  elicitation_complete: 'toldLines',
  permission_denied: 'typedLines',
  prompt_suggestion: 'options',
  mirror_error: 'none: the SDK says it itself',
  informational: 'lines',
  conversation_reset: 'none: a run stays in its session',
  session_writes_lost:
    'none: a full disk is told as soon as it is met (informational), and at the end on standard error',
};

/** Requests of either side, by the test of the SDK's method that sends them where there is one. */
const REQUESTS: Record<
  Sdk.SDKControlRequest['request']['subtype'],
  readonly [Test, string] | Verdict
> = {
  interrupt: 'main',
  can_use_tool: ['asks', 'canUseTool'],
  initialize: 'begin',
  set_permission_mode: ['main', 'setPermissionMode'],
  set_model: ['main', 'setModel'],
  set_max_thinking_tokens: ['main', 'setMaxThinkingTokens'],
  rename_session: 'control',
  set_color: 'none: sessions have no color',
  mcp_status: ['main', 'mcpServerStatus'],
  get_context_usage: ['types', 'getContextUsage'],
  get_session_cost: 'control',
  list_models: 'control',
  get_usage: 'control',
  get_binary_version: 'control',
  mcp_call: 'serverControls',
  file_suggestions: 'serverControls',
  hook_callback: ['asks', 'hooks'],
  mcp_message: ['asks', 'createSdkMcpServer'],
  rewind_files: ['main', 'rewindFiles'],
  cancel_async_message: 'control',
  read_file: 'control',
  seed_read_state: 'control',
  mcp_set_servers: 'control',
  register_repo_root:
    'none: what lies inside the folders of a session needs no adding, and others come by --add-dir',
  reload_plugins: 'control',
  reload_skills: 'control',
  reload_output_styles: 'control',
  mcp_reconnect: 'control',
  mcp_toggle: 'control',
  set_has_subscribers: 'control',
  stop_task: ['parts', 'stopTask'],
  background_tasks: 'control',
  get_task_output: 'options',
  apply_flag_settings: 'control',
  get_settings: ['reads', 'getSettings'],
  get_hooks_listing: 'serverControls',
  update_settings: 'control',
  elicitation: 'elicit',
  request_user_dialog: 'none: nothing here opens a dialog of the program',
  list_permission_rules: 'reads',
  mcp_read_resource: 'control',
};

const AGENT: Record<KeyOf<Sdk.AgentDefinition>, Verdict> = {
  description: 'main',
  tools: 'main',
  disallowedTools: 'more',
  prompt: 'main',
  model: 'more',
  mcpServers: 'parts',
  criticalSystemReminder_EXPERIMENTAL: 'parts',
  skills: 'agents',
  initialPrompt: 'more',
  maxTurns: 'more',
  autoCompactWindow: 'agents',
  background: 'agents',
  omitClaudeMd: 'parts',
  memory: 'agents',
  effort: 'more',
  permissionMode: 'more',
  observer: 'none: left out, and told; no agent looks on at another',
  observerMessage: 'none: left out, and told; no agent looks on at another',
};

const SANDBOX: Record<KeyOf<Sdk.SandboxSettings>, Verdict> = {
  enabled: 'rest',
  failIfUnavailable: 'rest',
  autoAllowBashIfSandboxed: 'sandboxSettings',
  allowUnsandboxedCommands: 'sandboxSettings',
  network: 'sandboxSettings',
  filesystem: 'sandboxSettings',
  credentials: 'sandboxed',
  ignoreViolations: 'sandboxWalls',
  enableWeakerNestedSandbox: 'none: read; what it does is tested where there is no other sandbox',
  allowNestedUserNamespaces: 'sandboxSettings',
  enableWeakerNetworkIsolation: 'runtimeConfig',
  allowAppleEvents:
    'none: told as not used: by them a command could start programs outside, unasked',
  excludedCommands: 'rest',
  ripgrep: 'none: told as not used: the own one finds what is to be protected',
  bwrapPath: 'sandboxSettings',
  socatPath: 'sandboxSettings',
};

type Functions = {
  [K in keyof typeof Sdk]: (typeof Sdk)[K] extends (...args: never) => unknown ? K : never;
}[keyof typeof Sdk];
const ALONE = 'none: the SDK does it alone';
const FUNCTIONS: Record<Functions, Verdict> = {
  query: 'setUp',
  startup: 'rest',
  prewarm: 'rest',
  tool: 'asks',
  createSdkMcpServer: 'asks',
  listSessions: 'transcripts',
  getSessionInfo: 'rest',
  getSessionMessages: 'transcripts',
  listSubagents: 'transcripts',
  getSubagentMessages: 'transcripts',
  renameSession: 'rest',
  tagSession: 'rest',
  forkSession: 'rest',
  deleteSession: 'rest',
  archiveSession: 'rest',
  unarchiveSession: 'rest',
  importSessionToStore: ALONE,
  foldSessionSummary: ALONE,
  resolveSettings: ALONE,
  filterEscalatingDefaultMode: ALONE,
  matchDeniedModels: ALONE,
};

it.each(Object.entries({ OPTIONS, QUERY, HOOKS, MESSAGES, REQUESTS, AGENT, SANDBOX, FUNCTIONS }))(
  '%s: the tests that are named have what they are named for',
  async (_, table) => {
    const missing: string[] = [];
    for (const [name, verdict] of Object.entries<readonly [Test, string] | Verdict>(table)) {
      const [test, word = name] = [verdict].flat() as [Test, string?];
      if (test.startsWith('none: ')) continue;
      const text = await readFile(join(import.meta.dirname, '..', TESTS[test]), 'utf8');
      if (!new RegExp(`\\b${word}\\b`).test(text)) missing.push(`${name}: not in ${TESTS[test]}`);
    }
    expect(missing).toEqual([]);
  },
);

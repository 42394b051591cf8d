import { z } from 'zod';
import type { HookSetting } from '../../../shared/hooks';
import { toolName } from '../permissions/server-names';

/** A hook's action: a {@link HookSetting} without its place. */
export type Handler = Omit<HookSetting, 'event' | 'matcher' | 'source' | 'file' | 'line' | 'off'>;

/** Longer commands are no commands. UTF-16 units. */
const MAX_TEXT = 100_000;
/** The longest time a hook can be given. Seconds. */
const MAX_TIMEOUT = 86_400;
/** The longest text shown while a hook runs. UTF-16 units. */
const MAX_STATUS = 300;

const Text = z.string().trim().min(1).max(MAX_TEXT);
const common = {
  timeout: z.number().positive().max(MAX_TIMEOUT).optional(),
  if: Text.optional(),
  once: z.boolean().optional(),
  statusMessage: Text.max(MAX_STATUS).optional(),
  onFailure: z.enum(['continue', 'block']).optional(),
};

const Command = z
  .object({
    ...common,
    command: Text,
    args: z.array(z.string().max(MAX_TEXT)).max(1_000).optional(),
    shell: z.enum(['bash', 'powershell']).optional(),
    async: z.boolean().optional(),
    asyncRewake: z.boolean().optional(),
  })
  .transform(
    ({ command, args, shell, async, asyncRewake, ...rest }): Handler => ({
      type: 'command',
      run: command,
      ...(args === undefined ? {} : { args }),
      ...(shell === undefined ? {} : { shell }),
      ...(async || asyncRewake ? { async: true } : {}),
      ...(asyncRewake ? { asyncRewake } : {}),
      ...shared(rest),
    }),
  );

const Http = z
  .object({
    ...common,
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().max(10_000)).optional(),
    allowedEnvVars: z.array(z.string()).max(100).optional(),
  })
  .transform(
    ({ url, headers, allowedEnvVars, ...rest }): Handler => ({
      type: 'http',
      run: url,
      ...(headers === undefined ? {} : { headers }),
      ...(allowedEnvVars === undefined ? {} : { allowedEnvVars }),
      ...shared(rest),
    }),
  );

const Prompt = z
  .object({
    ...common,
    prompt: Text,
    model: Text.optional(),
    continueOnBlock: z.boolean().optional(),
  })
  .transform(
    ({ prompt, model, continueOnBlock, ...rest }): Handler => ({
      type: 'prompt',
      run: prompt,
      ...(model === undefined ? {} : { model }),
      ...(continueOnBlock ? { continueOnBlock } : {}),
      ...shared(rest),
    }),
  );

const Agent = z.object({ ...common, prompt: Text, model: Text.optional() }).transform(
  ({ prompt, model, ...rest }): Handler => ({
    type: 'agent',
    run: prompt,
    ...(model === undefined ? {} : { model }),
    ...shared(rest),
  }),
);

const ServerTool = z
  .object({
    ...common,
    // A value that nobody knows may be meant to guard.
    onFailure: z
      .unknown()
      .optional()
      .transform((value) => (value === undefined || value === 'continue' ? 'continue' : 'block')),
    server: Text,
    tool: Text,
    input: z.record(z.string(), z.unknown()).default({}),
  })
  .transform(
    ({ server, tool, input, ...rest }): Handler => ({
      type: 'mcp_tool',
      run: toolName(server, tool),
      call: { server, tool, input },
      ...shared(rest),
    }),
  );

/** Fields that say how a hook runs and not what: without a bad one it still does its work. */
export const ADDITIONS: ReadonlySet<string> = new Set(
  'timeout once statusMessage onFailure async asyncRewake model continueOnBlock'.split(' '),
);

/** Settings give seconds, the engine counts milliseconds. */
const shared = (rest: {
  timeout?: number | undefined;
  if?: string | undefined;
  once?: boolean | undefined;
  statusMessage?: string | undefined;
  onFailure?: HookSetting['onFailure'] | undefined;
}) => ({
  ...(rest.timeout === undefined ? {} : { timeoutMs: Math.round(rest.timeout * 1000) }),
  ...(rest.if === undefined ? {} : { if: rest.if }),
  ...(rest.once ? { once: true } : {}),
  ...(rest.statusMessage === undefined ? {} : { statusMessage: rest.statusMessage }),
  ...(rest.onFailure === undefined ? {} : { onFailure: rest.onFailure }),
});

const EXPECTED: Readonly<Record<string, string>> = {
  command: 'a command in quotes',
  args: 'a list of texts',
  shell: '"bash" or "powershell"',
  async: 'true or false',
  once: 'true or false',
  asyncRewake: 'true or false',
  continueOnBlock: 'true or false',
  onFailure: '"continue" or "block"',
  statusMessage: `a text of at most ${MAX_STATUS} characters`,
  timeout: `a number of seconds above 0 and up to ${MAX_TIMEOUT}`,
  if: 'a permission rule in quotes, such as "Bash(rm *)",',
  url: 'an address with http or https',
  headers: 'an object with names and texts',
  allowedEnvVars: 'a list of names of variables',
  prompt: 'a prompt in quotes',
  model: 'a model name in quotes',
  server: 'the name of a tool server',
  tool: 'the name of one of its tools',
  input: 'an object with names and values',
};

/**
 * The types of hooks: how each is written, the names of its fields, and what the user is told that a field should be.
 */
export const HANDLERS = {
  command: { schema: Command, fields: fieldsOf(Command), expected: EXPECTED },
  http: { schema: Http, fields: fieldsOf(Http), expected: EXPECTED },
  prompt: { schema: Prompt, fields: fieldsOf(Prompt), expected: EXPECTED },
  agent: { schema: Agent, fields: fieldsOf(Agent), expected: EXPECTED },
  mcp_tool: { schema: ServerTool, fields: fieldsOf(ServerTool), expected: EXPECTED },
} as const;

function fieldsOf(schema: { readonly in: { readonly shape: object } }): ReadonlySet<string> {
  return new Set(['type', ...Object.keys(schema.in.shape)]);
}

import { z } from 'zod';
import type { ThinkingMode } from '../../../shared/agent-event';
import { PermissionMode } from '../../../shared/permission';

/** Names that programs can be given as environment variables. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables in settings that say whom Lathe asks, with which key, and for which model; others are for commands. */
export const OWN_VARIABLE =
  /^(ANTHROPIC_[A-Z_]+|API_TIMEOUT_MS|CLAUDE_CODE_(USE_BEDROCK|USE_VERTEX|SKIP_BEDROCK_AUTH|SKIP_VERTEX_AUTH|EFFORT_LEVEL|MAX_OUTPUT_TOKENS|SUBAGENT_MODEL)|MAX_THINKING_TOKENS|AWS_(REGION|PROFILE|BEARER_TOKEN_BEDROCK)|CLOUD_ML_REGION)$/;

/** `manual` is the ecosystem's other name for the default mode. docs/permissions.md. */
export const ModeSetting = z.preprocess(
  (value) => (value === 'manual' ? 'default' : value),
  PermissionMode,
);

/** The effort levels (docs/configuration.md). */
export const EffortSetting = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);

const EFFORTS: readonly string[] = EffortSetting.options;

/** Returns the lowest of several efforts; undefined where there is none. Pure. */
export const lowestEffort = (
  efforts: readonly (string | undefined)[],
): (typeof EffortSetting.options)[number] | undefined =>
  EffortSetting.options.find((one) => efforts.includes(one));

/** Returns an effort, or the highest that settings let be asked for where that is lower. Pure. */
export const cappedEffort = (effort: string, most: string | undefined): string =>
  most !== undefined && EFFORTS.indexOf(effort) > EFFORTS.indexOf(most) ? most : effort;

const Text = z.string().regex(/\S/);

/** The rule for one field. */
export interface FieldRule {
  readonly schema: z.ZodType;
  readonly expected: string;
  readonly otherwise?: unknown;
  readonly meanwhile?: string;
  /** A list of what is denied: what stands in several places counts together. */
  readonly joins?: true;
}

/** Forbids something; so does a value that cannot be read. */
const OFF = {
  schema: z.literal('disable'),
  expected: 'the word "disable"',
  otherwise: 'disable',
  meanwhile: 'it counts as "disable"',
} as const;

/** An object with names of any kind: zod's own record drops `__proto__`, which is to be told. */
const Servers = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** The most of a text that every request carries. Characters. */
const MAX_ATTRIBUTION = 2_000;
const Attribution = z.string().max(MAX_ATTRIBUTION).optional();

/** Reads `allowedMcpServers` and `deniedMcpServers`: each field of an entry names servers, and an entry has one at least. */
const ServerEntry = z.object({
  serverName: Text.optional(),
  /** The program and its arguments, each as it is. */
  serverCommand: z.array(z.string()).min(1).optional(),
  /** A pattern of addresses, in which `*` stands for anything. */
  serverUrl: Text.optional(),
});
const NamedServer = ServerEntry.refine((entry) =>
  Object.values(entry).some((value) => value !== undefined),
);
const ServerList = z.array(NamedServer);
/** A denial under a misspelled name would be lost: what looks like one has to be one. */
const DeniedServers = z.array(
  z
    .looseObject({})
    .refine((entry) =>
      Object.keys(entry).every(
        (name) =>
          Object.hasOwn(ServerEntry.shape, name) || !/server|command|ur[il]|name/i.test(name),
      ),
    )
    .pipe(NamedServer),
);
const SERVER_LIST =
  'a list of objects, each with serverName, serverCommand (a list of words) or serverUrl,';

/** Reads `strictKnownMarketplaces` and `blockedMarketplaces`; what the kinds of entries mean is for `marketplace-policy.ts`. */
const MarketplaceList = z.array(z.looseObject({ source: Text }));
const MARKETPLACE_LIST = 'a list of objects, each with a source ("github", "git", "directory", …),';

/** An entry of such a list. One without a source names every marketplace: it stands for a list that cannot be read. */
export type NamedMarketplace = Partial<z.infer<typeof MarketplaceList>[number]>;

/** The texts by which commits and pull requests say who made them. */
export interface Attribution {
  readonly commit?: string | undefined;
  readonly pr?: string | undefined;
}

/** An entry of such a list. One without any field names every server: it stands for denials that cannot be read. */
export type NamedServers = z.infer<typeof ServerList>[number];

/** Returns the thinking that a limit of tokens means: 0 turns it off. */
export const thinkingUpTo = (budgetTokens: number): ThinkingMode =>
  budgetTokens === 0 ? 'disabled' : { budgetTokens };

/** A name of a list of denials that stands for all: the list cannot be read. */
export const EVERY_NAME = '*';

/** The fields that name commands for credentials of cloud providers. */
export const CLOUD_COMMANDS = ['awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh'] as const;

/** Fields of `worktree`. */
export const WORKTREE_FIELDS = {
  baseRef: z.enum(['fresh', 'head']),
  symlinkDirectories: z.array(Text),
} as const;

/**
 * The single-valued fields that Lathe uses, each checked by itself, so that one bad field does not cost the
 * others. `expected` is what the user is told; `otherwise` holds where a faulty value must not loosen anything, and `meanwhile` says what that means. Fields that are not listed are left to those who know them.
 */
export const FIELDS = {
  model: { schema: Text, expected: 'a model name in quotes' },
  effortLevel: { schema: EffortSetting, expected: 'one of low, medium, high, xhigh, max' },
  alwaysThinkingEnabled: { schema: z.boolean(), expected: 'true or false' },
  maxThinkingTokens: {
    schema: z.number().int().min(0),
    expected: 'a whole number of tokens, 0 for none,',
  },
  maxTurns: { schema: z.number().int().min(1), expected: 'a whole number, 1 or more,' },
  maxAgentDepth: {
    schema: z.number().int().min(1).max(5),
    expected: 'a whole number from 1 to 5',
  },
  maxBudgetUsd: { schema: z.number().positive(), expected: 'a number of dollars above 0' },
  maxDailyBudgetUsd: { schema: z.number().positive(), expected: 'a number of dollars above 0' },
  availableModels: {
    schema: z.array(Text),
    expected: 'a list of models',
    otherwise: [],
    meanwhile: 'only the default model can be chosen',
  },
  enforceAvailableModels: {
    schema: z.boolean(),
    expected: 'true or false',
    otherwise: true,
    meanwhile: 'it counts as true',
  },
  availableModelsMatch: {
    schema: z.enum(['prefix', 'exact']),
    expected: 'one of prefix, exact',
    otherwise: 'exact',
    meanwhile: 'it counts as exact',
  },
  deniedModels: {
    schema: z.array(Text),
    expected: 'a list of models',
    otherwise: [EVERY_NAME],
    meanwhile: 'no model can be chosen',
    joins: true,
  },
  fallbackModel: {
    schema: z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(Text)),
    expected: 'a list of model names',
  },
  overrideSystemPrompt: { schema: Text, expected: 'a text in quotes' },
  coordinator: { schema: z.boolean(), expected: 'true or false' },
  agent: { schema: Text, expected: 'the name of an agent in quotes' },
  systemPrompt: { schema: Text, expected: 'a text in quotes' },
  appendSystemPrompt: { schema: Text, expected: 'a text in quotes' },
  outputStyle: { schema: Text, expected: 'the name of an output style in quotes' },
  language: { schema: Text.max(100), expected: 'the name of a language in quotes' },
  attribution: {
    schema: z.union([z.boolean(), z.object({ commit: Attribution, pr: Attribution })]),
    expected: `true, false, or an object with commit or pr (texts of at most ${MAX_ATTRIBUTION} characters)`,
  },
  autoCompactEnabled: { schema: z.boolean(), expected: 'true or false' },
  fileCheckpointingEnabled: { schema: z.boolean(), expected: 'true or false' },
  checkpointDays: {
    schema: z.number().int().min(1),
    expected: 'a whole number of days, 1 or more,',
  },
  checkpointMegabytes: { schema: z.number().int().min(1), expected: 'a whole number, 1 or more,' },
  cleanupPeriodDays: {
    schema: z.number().int().min(1),
    expected: 'a whole number of days, 1 or more,',
  },
  autoCompactWindow: {
    schema: z.number().int().min(1_000),
    expected: 'a number of tokens, 1000 or more',
  },
  autoCompactMessages: {
    schema: z.number().int().min(10),
    expected: 'a number of messages, 10 or more',
  },
  autoCompactUsd: { schema: z.number().min(0.01), expected: 'a number of dollars, 0.01 or more' },
  endpoints: {
    schema: z.record(
      z.string().refine((url) => URL.canParse(url)),
      z.strictObject({
        apiVersion: z
          .string()
          .regex(/^\d{4}-\d{2}-\d{2}$/)
          .optional(),
        betas: z.array(Text).optional(),
      }),
    ),
    expected:
      'an object of addresses, each with apiVersion ("2023-06-01") or betas (a list of names),',
  },
  failoverWaitSeconds: { schema: z.number().min(0), expected: 'a number of seconds' },
  apiKeyHelper: { schema: Text, expected: 'a command in quotes' },
  awsAuthRefresh: { schema: Text, expected: 'a command in quotes' },
  awsCredentialExport: { schema: Text, expected: 'a command in quotes' },
  gcpAuthRefresh: { schema: Text, expected: 'a command in quotes' },
  hooks: { schema: z.record(z.string(), z.unknown()).catch({}), expected: 'an object of events' },
  statusLine: {
    schema: z.object({ type: z.string().optional(), command: z.string() }),
    expected: 'an object with a command',
  },
  disableAllHooks: { schema: z.boolean(), expected: 'true or false' },
  allowedHttpHookUrls: {
    schema: z.array(Text),
    expected: 'a list of addresses, where * stands for anything,',
    otherwise: [],
  },
  httpHookAllowedEnvVars: {
    schema: z.array(Text),
    expected: 'a list of names of variables',
    otherwise: [],
  },
  strictPluginOnlyCustomization: {
    schema: z.union([z.boolean(), z.array(Text)]),
    expected: 'true, false, or a list of skills, agents, hooks and mcp',
    otherwise: true,
    meanwhile: 'it counts as true',
  },
  skillOverrides: {
    schema: z.record(z.string(), z.unknown()),
    expected: 'an object of skills, each with on, name-only, user-invocable-only or off,',
  },
  disableSideloadFlags: {
    schema: z.boolean(),
    expected: 'true or false',
    otherwise: true,
    meanwhile: 'it counts as true',
  },
  allowedProviders: {
    schema: z.array(Text),
    expected: 'a list of anthropic, bedrock, vertex and customEndpoint',
    otherwise: [],
    meanwhile: 'no provider may be asked',
  },
  modelOverrides: {
    schema: z.record(z.string(), Text),
    expected: 'an object of ids of models, each with another one in quotes,',
  },
  allowManagedMcpServersOnly: { schema: z.boolean(), expected: 'true or false' },
  maxEffortLevel: {
    schema: EffortSetting,
    expected: 'one of low, medium, high, xhigh, max',
    otherwise: 'low',
    meanwhile: 'it counts as low',
  },
  allowManagedHooksOnly: { schema: z.boolean(), expected: 'true or false' },
  allowManagedPermissionRulesOnly: { schema: z.boolean(), expected: 'true or false' },
  enableAllProjectMcpServers: { schema: z.boolean(), expected: 'true or false' },
  promptSuggestionEnabled: { schema: z.boolean(), expected: 'true or false' },
  blockedMarketplaces: {
    schema: MarketplaceList,
    expected: MARKETPLACE_LIST,
    otherwise: [{}],
    meanwhile: 'every marketplace is refused',
    joins: true,
  },
  strictKnownMarketplaces: {
    schema: MarketplaceList,
    expected: MARKETPLACE_LIST,
    otherwise: [],
    meanwhile: 'every marketplace is refused',
  },
  /** Another name for `strictKnownMarketplaces`. */
  allowedMarketplaces: {
    schema: MarketplaceList,
    expected: MARKETPLACE_LIST,
    otherwise: [],
    meanwhile: 'every marketplace is refused',
  },
  /** Another name for `extraKnownMarketplaces`. */
  additionalMarketplaces: { schema: z.record(z.string(), z.unknown()), expected: 'an object' },
  disableAutoMode: OFF,
  disableSkillShellExecution: {
    schema: z.boolean(),
    expected: 'true or false',
    otherwise: true,
    meanwhile: 'it counts as true',
  },
  autoMemoryEnabled: { schema: z.boolean(), expected: 'true or false' },
  claudeMdExcludes: { schema: z.array(Text), expected: 'a list of globs of files' },
  allowedMcpServers: {
    schema: ServerList,
    expected: SERVER_LIST,
    otherwise: [],
    meanwhile: 'no tool server is started',
  },
  deniedMcpServers: {
    schema: DeniedServers,
    expected: SERVER_LIST,
    otherwise: [{}],
    meanwhile: 'no tool server is started',
    joins: true,
  },
  disabledMcpjsonServers: {
    schema: z.array(Text),
    expected: 'a list of names of servers',
    otherwise: [EVERY_NAME],
    meanwhile: 'no server of .mcp.json is started',
    joins: true,
  },
  mcpServers: {
    schema: Servers,
    expected: 'an object of servers, each with a command,',
  },
  enabledPlugins: { schema: z.record(z.string(), z.unknown()), expected: 'an object' },
  pluginConfigs: { schema: z.record(z.string(), z.unknown()), expected: 'an object' },
  extraKnownMarketplaces: { schema: z.record(z.string(), z.unknown()), expected: 'an object' },
  worktree: {
    schema: z.object(WORKTREE_FIELDS).partial(),
    expected:
      'an object with baseRef ("fresh" or "head") or symlinkDirectories (a list of folders)',
  },
  /** As a whole, for the trust dialog; it is read and its faults are told in `sandbox-values.ts`. */
  sandbox: { schema: z.record(z.string(), z.unknown()).catch({}), expected: 'an object' },
} as const;

/** Fields of `permissions` besides the rule lists. */
export const PERMISSION_FIELDS = {
  defaultMode: {
    schema: ModeSetting,
    expected: 'one of default, acceptEdits, plan, auto, dontAsk, bypassPermissions',
  },
  disableBypassPermissionsMode: OFF,
  disableAutoMode: OFF,
} as const;

/** Environment variables: numbers and booleans are taken as their text. */
export const VariableValue = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value));

type Fields<T extends Record<string, { schema: z.ZodType }>> = {
  readonly [K in keyof T]?: z.infer<T[K]['schema']>;
};

/** The values of one file for the fields above. */
export type FieldValues = Fields<typeof FIELDS>;
/** The values of one file in `permissions` besides rules. */
export type PermissionValues = Fields<typeof PERMISSION_FIELDS>;

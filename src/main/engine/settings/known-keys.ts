import type { Node } from 'jsonc-parser';
import { nearestName } from '../../../shared/nearest-name';
import type { JsonTree, Property } from './json-text';
import { propertiesOf } from './json-text';
import { SANDBOX_KEYS } from './sandbox-values';
import { FIELDS, PERMISSION_FIELDS, WORKTREE_FIELDS } from './schema';

/** A remark about one property: where it stands, its name with that of its parents, and what is told. */
export interface KeyRemark {
  readonly at: number;
  readonly field: string;
  readonly message: string;
}

/** Fields of settings files that other programs use and Lathe does not; they are told of together. */
const USED_ELSEWHERE: ReadonlySet<string> = new Set(
  (
    'advisorModel agentPushNotifEnabled allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp ' +
    'allowedChannelPlugins allowNestedModelAccessUnderForceLogin appendPlugins ' +
    'askUserQuestionTimeout attributionProject attributionProjectPolicy autoContinueAtUsageLimit ' +
    'autoDreamEnabled autoMemoryDirectory autoMode autoScrollEnabled autoUpdatesChannel ' +
    'autoUploadSessions bashEditDiffEnabled bashOutputMaxChars channelsEnabled claudeMd ' +
    'companyAnnouncements crossSessionInbound daemonColdStart defaultShell defaultView ' +
    'desktopMcpServersListScope desktopSessionCleanupPeriodDays dialogExpiry disableAgentView ' +
    'disableArtifact disableBundledSkills disableClaudeAiConnectors disableCommandPluginSources ' +
    'disableDeepLinkRegistration disableRemoteControl disableReplyCheck disableWindowsBashCommandSplit ' +
    'disableWorkflows editorMode emojiCompletionEnabled enableArtifact enabledMcpjsonServers ' +
    'enableWorkflows fastMode fastModePerSessionOptIn feedbackDrafts feedbackSurveyRate fileSuggestion ' +
    'footerLinksRegexes forceLoginGatewayUrl forceLoginMethod forceLoginOrgUUID ' +
    'forceRemoteSettingsRefresh gatewayInternalNetworks idleCompaction includeCoAuthoredBy ' +
    'includeGitInstructions inputNeededNotifEnabled isolatePeerMachines keybindingFlavor ' +
    'managedMcpServers managedSourcesBehavior maxProseWidth minimumVersion modelPicker ' +
    'modelPricing modelSettings otelHeadersHelper parentSettingsBehavior plansDirectory ' +
    'pluginSuggestionMarketplaces pluginTrustMessage policyHelper precomputeCompactionEnabled ' +
    'preferredNotifChannel prefersReducedMotion prependPlugins processWrapper promptCacheTtl ' +
    'proxyAuthHelper prUrlTemplate remote remoteControlAtStartup requiredMaximumVersion ' +
    'requiredMinimumVersion respectGitignore respondToBashCommands showClearContextOnPlanAccept ' +
    'showMessageTimestamps showThinkingSummaries showTurnDuration skillListingBudgetFraction ' +
    'skillListingMaxDescChars skipAutoPermissionPrompt skipDangerousModePermissionPrompt ' +
    'skipWebFetchPreflight spellcheck spinnerTipsEnabled spinnerTipsOverride spinnerVerbs sshConfigs ' +
    'sshHostCommands subagentPromptCacheTtl subagentStatusLine switchModelsOnFlag syncClaudeAiPlugins ' +
    'syncClaudeAiSkills syntaxHighlightingDisabled taskOutputMaxChars teammateMode ' +
    'terminalProgressBarEnabled terminalTitleFromRename theme timeFormat timeZone todoFeatureEnabled tui ' +
    'ultracode useAutoModeDuringPlan verbose viewMode vimInsertModeRemaps voice voiceEnabled ' +
    'wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled workflowSizeGuideline ' +
    'wslInheritsWindowsSettings'
  ).split(' '),
);

/** Fields that say nothing about what a program does. */
const SILENT: ReadonlySet<string> = new Set(['$schema', '$comment']);

const TOP: ReadonlySet<string> = new Set([...Object.keys(FIELDS), 'permissions', 'env']);
/** Fields of `worktree` that only other programs use. */
const WORKTREE_ELSEWHERE: ReadonlySet<string> = new Set(['sparsePaths', 'bgIsolation', 'location']);
const WORKTREE: ReadonlySet<string> = new Set([
  ...Object.keys(WORKTREE_FIELDS),
  ...WORKTREE_ELSEWHERE,
]);
const PERMISSIONS: ReadonlySet<string> = new Set([
  ...Object.keys(PERMISSION_FIELDS),
  ...['allow', 'ask', 'deny', 'additionalDirectories'],
]);

const lettersOf = (name: string): string => name.replace(/[^a-z]/gi, '').toLowerCase();

/** Tells whether a key is `permissions`, be it misspelled or with characters that cannot be seen. */
export const meansPermissions = (name: string): boolean =>
  lettersOf(name) === 'permissions' || (!TOP.has(name) && nearestName(name, TOP) === 'permissions');

/** The words, as letters, by which people mean denials. */
const DENIES =
  /^(?:deny|denied|denies|denylist|disallow|disallowed|disallowedtools|forbid|forbidden|block|blocked)$/;

/** Tells whether a key at the top of a file means a list of denials that belongs into `permissions`. */
export const meansDenials = (name: string): boolean =>
  !TOP.has(name) && DENIES.test(lettersOf(name).replace(/^permissions/, ''));

/** Returns the list of rules that a key means which can only tighten, be it misspelled; null for any other key. */
export function restrictionMeant(name: string): 'deny' | 'ask' | null {
  const letters = lettersOf(name).replace(/^permissions/, '');
  if (DENIES.test(letters)) return 'deny';
  if (letters === 'ask') return letters;
  return !PERMISSIONS.has(name) && nearestName(name, PERMISSIONS) === 'deny' ? 'deny' : null;
}

/** Returns a remark for each field of a settings file that nobody reads, with the name that may be meant. Pure. */
export function unknownKeys(root: JsonTree['root']): KeyRemark[] {
  const top = propertiesOf(root);
  const used = top.filter(({ name }) => !SILENT.has(name) && !USED_ELSEWHERE.has(name));
  return [
    ...unknownAmong(used, TOP, ''),
    ...elsewhere(top.filter(({ name }) => USED_ELSEWHERE.has(name))),
    ...below(top, 'permissions', PERMISSIONS, ''),
    ...below(top, 'worktree', WORKTREE, ''),
    ...top
      .filter(({ name }) => name === 'worktree')
      .flatMap(({ value }) =>
        elsewhere(
          propertiesOf(value)
            .filter(({ name }) => WORKTREE_ELSEWHERE.has(name))
            .map((one) => ({ ...one, name: `worktree.${one.name}` })),
        ),
      ),
    ...top
      .filter(({ name }) => name === 'mcpServers')
      .flatMap(({ value }) => unknownServerKeys(value)),
    ...below(top, 'sandbox', SANDBOX_KEYS.own, ''),
    ...top
      .filter(({ name }) => name === 'sandbox')
      .flatMap(({ value }) => [
        ...below(propertiesOf(value), 'filesystem', SANDBOX_KEYS.filesystem, 'sandbox.'),
        ...below(propertiesOf(value), 'network', SANDBOX_KEYS.network, 'sandbox.'),
        ...below(propertiesOf(value), 'credentials', SANDBOX_KEYS.credentials, 'sandbox.'),
      ]),
  ];
}

/** Fields of a tool server that Lathe reads, or that belong to a kind of server which it tells of as a whole. */
const SERVER_KEYS: ReadonlySet<string> = new Set(
  'type name command args env alwaysLoad timeout url headers headersHelper oauth tools'.split(' '),
);

/** Returns a remark for each field of tool servers that nobody reads. Pure. */
export const unknownServerKeys = (servers: Node): KeyRemark[] =>
  propertiesOf(servers).flatMap(({ name, value }) =>
    unknownAmong(propertiesOf(value), SERVER_KEYS, `mcpServers.${name}.`),
  );

const below = (
  properties: readonly Property[],
  parent: string,
  known: ReadonlySet<string>,
  prefix: string,
): KeyRemark[] =>
  properties
    .filter(({ name }) => name === parent)
    .flatMap(({ value }) => unknownAmong(propertiesOf(value), known, `${prefix}${parent}.`));

/** Returns a remark for each property that is not among the known names. Pure. */
export function unknownAmong(
  properties: readonly Property[],
  known: ReadonlySet<string>,
  prefix: string,
): KeyRemark[] {
  return properties
    .filter(({ name }) => !known.has(name))
    .map(({ name, at }) => {
      const field = `${prefix}${name}`;
      const kept = prefix === '' || prefix === 'permissions.' ? restrictionKept(name, known) : null;
      if (kept !== null) return { at, field, message: `there is no such setting; ${kept}` };
      const meant = nearestName(name, known);
      const advice = meant === null ? '' : `; “${meant}” may be meant`;
      const message = `there is no such setting, so it is ignored${advice}`;
      return { at, field, message };
    });
}

/** Returns what counts of a misspelled key that may deny something; null where nothing does. */
function restrictionKept(name: string, known: ReadonlySet<string>): string | null {
  if (known === TOP && meansPermissions(name))
    return '“permissions” may be meant; only what it denies and asks about counts';
  const list = known === PERMISSIONS || meansDenials(name) ? restrictionMeant(name) : null;
  return list === null ? null : `it counts as “${list}”, so that no denial is lost`;
}

/** Tells of the fields that only other programs use in one remark, so that a shared file makes no noise. */
function elsewhere(found: readonly Property[]): KeyRemark[] {
  const [first] = found;
  if (first === undefined) return [];
  const names = [...new Set(found.map(({ name }) => name))];
  const message = `Lathe does not use ${names.length === 1 ? 'this setting' : 'these settings'}; other programs may`;
  return [{ at: first.at, field: names.join(', '), message }];
}

/** Fields of settings files that other programs use and Lathe does not; they are told of together. */
export const USED_ELSEWHERE: ReadonlySet<string> = new Set(
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

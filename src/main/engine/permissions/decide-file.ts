import { dirname } from 'node:path';
import type { Decision, PermissionMode } from '../../../shared/permission';
import { allowed, asked, byRule, denied } from './decision';
import { foreignPath, isInWorkingDirectories, protectedReason, strangePath } from './paths';
import type { DecisionContext, PermissionRequest } from './request';
import { coversFile, coversParams } from './rule-match';
import type { RuleSet } from './rule-set';
import { coversTool, type ParsedRule } from './rules';
import { suggestForFile } from './suggest';

type FileRequest = Extract<PermissionRequest, { kind: 'file' }>;

/** Decides on reading or changing one file. Both the path asked for and where it leads count. */
export function decideFile(
  request: FileRequest,
  rules: RuleSet,
  mode: PermissionMode,
  context: DecisionContext,
): Decision {
  const lookup = { paths: restrictedEnds(request), params: request.params };
  const restricting = (behavior: 'deny' | 'ask') =>
    rules
      .select(behavior, () => lookup)
      .find(
        (rule) =>
          (coversTool(rule.tool, request.tool) || keepsFromChanging(rule, request)) &&
          (restrictedEnds(request).some((end) => coversFile(rule, end, true, context)) ||
            coversParams(rule, request.params)),
      );
  const deny = restricting('deny');
  if (deny) return denied([byRule(deny.rule, 'a deny rule covers it')]);
  const ask = restricting('ask');
  if (ask) return asked([byRule(ask.rule, 'an ask rule covers it')], []);

  const isNote = isOwnNote(request, context);
  const unsafe = unsafeReason(request, isNote);
  if (unsafe !== null) return asked([{ reason: unsafe }], []);

  if (mode === 'bypassPermissions') return allowed([{ reason: 'permissions are bypassed' }]);
  if (mode === 'plan' && request.access === 'edit')
    return denied([{ reason: 'plan mode only reads; present the plan first' }]);
  const inside = fileEnds(request).every((end) => isInWorkingDirectories(end, context));
  if (mode === 'acceptEdits' && request.access === 'edit' && inside)
    return allowed([{ reason: 'edits inside the working directories are accepted' }]);

  const granted = allowingRules(request, rules, context);
  if (granted) return allowed(granted.map((rule) => byRule(rule.rule, 'an allow rule covers it')));
  const within = (folders: readonly string[] = []): boolean =>
    fileEnds(request).every((end) =>
      isInWorkingDirectories(end, { ...context, workingDirectories: folders }),
    );
  if (within(context.scratchFolders))
    return allowed([{ reason: "it is in the session's own scratch folder" }]);
  if (isNote) return allowed([{ reason: 'it is a note about this project' }]);
  if (request.access === 'read' && within(context.ownFolders))
    return allowed([{ reason: 'it is output that Lathe saved in this session' }]);
  if (request.access === 'read' && within(context.noteFolders))
    return allowed([{ reason: 'it is among the notes about this project' }]);
  if (request.access === 'read' && inside)
    return allowed([{ reason: 'reading inside the working directories changes nothing' }]);
  return asked([{ reason: whyAsk(request, inside, context) }], suggestForFile(request, context));
}

/**
 * Tells whether a Read denial also forbids this edit, because an edit shows what was there. either:
 * an edit shows what was there. Notebooks have rules of their own.
 */
const keepsFromChanging = ({ rule, tool }: ParsedRule, request: FileRequest): boolean =>
  rule.behavior === 'deny' &&
  tool === 'Read' &&
  request.access === 'edit' &&
  request.tool !== 'NotebookEdit';

/**
 * Returns the paths a rule may restrict: for a read, also hard links to the file. An edit puts a
 * new file in the place of one.
 */
const restrictedEnds = (request: FileRequest): readonly string[] =>
  request.access === 'read'
    ? [...fileEnds(request), ...(request.otherNames ?? [])]
    : fileEnds(request);

/** Returns the path as asked and where it leads. */
const fileEnds = (request: {
  readonly path: string;
  readonly realPath: string;
}): readonly string[] =>
  request.path === request.realPath ? [request.path] : [request.path, request.realPath];

/**
 * Tells whether a read of this file is denied or has to be asked: for tools that list or search and
 * must leave such files out of their results.
 */
export function isReadRestricted(
  file: { readonly path: string; readonly realPath: string },
  rules: RuleSet,
  context: DecisionContext,
): boolean {
  const ends = fileEnds(file);
  const restricting = (['deny', 'ask'] as const).flatMap((behavior) =>
    rules.select(behavior, () => ({ paths: ends })),
  );
  return restricting.some(
    (rule) => rule.tool === 'Read' && ends.some((end) => coversFile(rule, end, false, context)),
  );
}

/** Tells whether there may be files for which {@link isReadRestricted} holds. */
export const restrictsReading = (rules: readonly ParsedRule[]): boolean =>
  rules.some(({ tool, rule }) => tool === 'Read' && rule.behavior !== 'allow');

/** Tells whether both ends of a path are a note of the model's own. */
const isOwnNote = (request: FileRequest, { ownNotes }: DecisionContext): boolean =>
  fileEnds(request).every(
    (end) => ownNotes !== undefined && dirname(end) === ownNotes && end.endsWith('.md'),
  );

/** Reasons that no rule and no mode overrides. A note stands in a folder that is protected otherwise. */
function unsafeReason(request: FileRequest, isNote: boolean): string | null {
  if (request.unknown !== undefined) return `it is not known where it leads: ${request.unknown}`;
  for (const end of fileEnds(request)) {
    const strange = strangePath(end) ?? foreignPath(end);
    if (strange !== null) return strange;
    if (request.access !== 'edit') continue;
    const guarded = isNote ? null : protectedReason(end);
    if (guarded !== null) return guarded;
  }
  return null;
}

/** Finds an allow rule for each end of the path; null when an end has none. */
function allowingRules(
  request: FileRequest,
  rules: RuleSet,
  context: DecisionContext,
): readonly ParsedRule[] | null {
  const found = fileEnds(request).map((end) =>
    rules
      .select('allow', () => ({ paths: [end] }))
      .find(
        (rule) =>
          coversTool(rule.tool, request.tool) &&
          coversFile(rule, end, request.access === 'read', context),
      ),
  );
  const covering = found.filter((rule) => rule !== undefined);
  return covering.length === found.length ? covering : null;
}

function whyAsk(request: FileRequest, inside: boolean, context: DecisionContext): string {
  const leadsOut =
    isInWorkingDirectories(request.path, context) &&
    !isInWorkingDirectories(request.realPath, context);
  if (leadsOut) return `it is a link to ${request.realPath}, outside the working directories`;
  if (!inside) return 'it lies outside the working directories';
  return 'no rule allows this edit';
}

import { isInWorkingDirectories } from './paths';
import type { DecisionContext, PermissionRequest, ShellCommand } from './request';
import { lookupKey } from './shell-paths';

/** More would not be read by anybody. */
const MAX_RISKS = 4;

/**
 * Returns the risks of what is asked, in a few words each, worst first. Pure; it informs and never
 * decides.
 */
export function risksOf(
  requests: readonly PermissionRequest[],
  context: DecisionContext,
): readonly string[] {
  const found = requests.flatMap((request) => risksOfOne(request, context));
  const present = new Set(found);
  return ORDER.filter((risk) => present.has(risk)).slice(0, MAX_RISKS);
}

/**
 * Returns further surprises for a user who is not asked: sending, and reading elsewhere. A dialog
 * shows both as its very subject, so they are no risks there.
 */
export function surprisesOf(
  request: PermissionRequest,
  context: DecisionContext,
): readonly string[] {
  if (request.kind === 'tool') return request.sends ? [RISK.sends] : [];
  return request.kind === 'file' ? elsewhere([request.path, request.realPath], context) : [];
}

function risksOfOne(request: PermissionRequest, context: DecisionContext): readonly string[] {
  switch (request.kind) {
    case 'shell':
      return [
        ...shellRisks(request.analysis.commands),
        ...(MIXED_WORD.test(request.command) ? [RISK.alphabets] : []),
        ...elsewhere(lineEnds(request), context),
      ];
    case 'file':
      return request.access === 'edit' ? elsewhere([request.path, request.realPath], context) : [];
    case 'tool':
      return [];
  }
}

const RISK = {
  admin: 'runs with administrator rights',
  download: 'runs what it downloads',
  deletes: 'deletes files for good',
  history: 'rewrites or throws away work in git',
  publishes: 'publishes to others',
  sends: 'can send data out',
  permissions: 'changes who may use files',
  kills: 'ends processes',
  alphabets: 'mixes alphabets whose letters look alike',
  outside: 'reaches outside the project',
} as const;
const ORDER: readonly string[] = Object.values(RISK);

/** Latin and Cyrillic or Greek letters in one word, without anything between them. */
const MIXED_WORD =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;

const DOWNLOADERS = /^(curl|wget|aria2c|fetch)$/;
const INTERPRETERS = /^(ba|da|z|k|fi)?sh$|^(python|node|perl|ruby|php)[\d.]*$/;

/** Programs that are a risk whatever their words are. */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/^(sudo|doas|su|pkexec|runas)$/, RISK.admin],
  [/^(rm|rmdir|unlink|shred|truncate|dd|mkfs(\.\w+)?|wipefs)$/, RISK.deletes],
  [/^(curl|wget|nc|ncat|netcat|socat|ssh|scp|sftp|rsync|ftp|telnet|aria2c)$/, RISK.sends],
  [/^(chmod|chown|chgrp|setfacl)$/, RISK.permissions],
  [/^(kill|pkill|killall|xkill)$/, RISK.kills],
];

/** The same where the words after the name decide. Matched against the words joined by spaces. */
const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /^git (?:-\S+ (?:\S+ )?)*?(reset\b.* --hard|clean|checkout .*(--|\.)|restore|stash drop|branch -D)/,
    RISK.history,
  ],
  [
    /^git (?:-\S+ (?:\S+ )?)*?(rebase|filter-branch|filter-repo|reflog expire|gc .*--prune)/,
    RISK.history,
  ],
  [/^git (?:-\S+ (?:\S+ )?)*?push\b.* (-f|--force\S*|--mirror|--delete|\+\S+)( |$)/, RISK.history],
  [/^git (?:-\S+ (?:\S+ )?)*?push( |$)/, RISK.publishes],
  [/^(npm|pnpm|yarn|bun|cargo|gem|poetry|twine|docker) (publish|push|upload)( |$)/, RISK.publishes],
  [/^gh (pr (create|merge)|release|issue (create|close)|repo)( |$)/, RISK.publishes],
  [/^find .* -delete( |$)/, RISK.deletes],
];

function shellRisks(commands: readonly ShellCommand[]): readonly string[] {
  const names = commands.map((command) => baseName(command.words[0] ?? ''));
  const piped =
    names.some((name) => DOWNLOADERS.test(name)) && names.some((name) => INTERPRETERS.test(name));
  return [
    ...(piped ? [RISK.download] : []),
    ...names.flatMap((name) => BY_NAME.filter(([is]) => is.test(name)).map(([, risk]) => risk)),
    ...commands.flatMap((command) => {
      const line = command.words.map((word) => word ?? '?').join(' ');
      return BY_WORDS.filter(([is]) => is.test(line)).map(([, risk]) => risk);
    }),
  ];
}

const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/** Returns every path that the line surely means, and where it really leads. */
function lineEnds(request: Extract<PermissionRequest, { kind: 'shell' }>): readonly string[] {
  return request.touches
    .flatMap(({ touches }) => touches)
    .filter((touch) => touch.certain && !/^\/(dev|proc)\//.test(touch.path))
    .flatMap((touch) => [touch.path, ...(request.realPaths[lookupKey(touch)] ?? [])]);
}

const elsewhere = (ends: readonly string[], context: DecisionContext): readonly string[] =>
  ends.some((end) => !isInWorkingDirectories(end, context)) ? [RISK.outside] : [];

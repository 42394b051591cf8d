import { scanSed } from '../read-only/scripts';
import type { Hiding } from '../request';
import { computesWithNumbers, type Surroundings } from './arithmetic';
import { namesFound } from './find-names';
import { hidingOfGit, hidingOfViewer } from './git-hiding';
import { codeOf, type Input, isStream } from './interpreters';
import { mayTakeCode, RUNNERS, startsNothing, TRANSPARENT } from './launchers';
import { hidingInMounts, isBind } from './mounts';
import { hidingInNames, hidingInOpenWords, isOneWord, mayBeOption, placesIn } from './open-words';
import { type Draft, EVALUATED_WHEN_SET } from './simple-command';
import { hidesCode, programIn } from './variables';
import { type Assigned, HIDDEN_IN_VALUES, type Word, type WordFindings } from './words';

/** The facts about a command that tell what it does not show. */
interface Looked {
  /** Its name without folders. */
  readonly name: string;
  readonly words: readonly Word[];
  readonly input: Input;
  readonly around: Surroundings;
  /** It is one of several readings of the words behind a runner, of which those that begin open count as unknown already. */
  readonly isReading: boolean;
}

/**
 * Returns what a command may do that its words do not show: run other commands, or read other files. No rule about
 * commands or files can be held against that. Pure.
 */
export function hidingOf(looked: Looked): Hiding[] {
  const { name, words, input, around } = looked;
  const found: Hiding[] = [];
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin?.(words.slice(1), around) || isUnsafeAttribute(name, words, around))
    found.push({ what: 'runs', why: `${name} evaluates what it is given`, byShell: true });
  const set = setBy(name, words).find(changesWhatRuns);
  if (set !== undefined)
    found.push({ what: 'runs', why: `${name} sets ${set}, by which something may run` });
  if (startsShell(name, words, input))
    found.push({ what: 'runs', why: `${name} starts a shell that reads its input` });
  if (LISTS.some(([names, option]) => names.test(name) && isGivenList(option, words, input)))
    found.push({ what: 'reads', why: `${name} reads the files that a list names` });
  if (words.some(({ value, source }) => value === null && /[=@:]\{\}/.test(source)))
    found.push({ what: 'reads', why: `${name} is given each file that is found` });
  if (words.some(isOpenAddress))
    found.push({ what: 'reads', why: 'an address that begins with file: may name any file' });
  if (
    name === 'find' &&
    words.some(({ value }) => /\{\}/.test(value ?? '') && /\s/.test(value ?? ''))
  ) {
    const names = namesFound(words);
    const why = 'find puts each file that it finds into a text that may be run';
    found.push({ what: 'reads', why, ...(names ? { names } : {}) });
  }
  const program = codeOf(name, words, input);
  if (program !== null && !program.isHarmless)
    found.push({ what: 'runs', why: `${name} is given a program that may run anything` });
  if (/^g?sed$/.test(name) && scanSed(program?.code.join('\n') ?? '').usesFiles)
    found.push({ what: 'reads', why: 'its script names files' });
  if (mayTakeCode(name) && words.slice(1).some(isMadeHere))
    found.push({ what: 'runs', why: `${name} is given a text that it may take for commands` });
  if (words[0]?.value === null)
    found.push({ what: 'runs', why: 'which program it runs is only known at run time' });
  if (/^(?:g|re)?make$/.test(name) && words.some(isEvaluatedByMake))
    found.push({ what: 'runs', why: 'make evaluates what it is given' });
  if (name === 'crontab' && (input.kind !== 'none' || words.some((word) => word.value === '-e')))
    found.push({ what: 'runs', why: 'crontab takes commands to be run later' });
  if (takesVariables(name))
    found.push(...words.slice(1).flatMap(variableIn).flatMap(hidingInVariable));
  if (loadsDotenv(name, words))
    found.push({ what: 'prints', why: 'it loads variables from files', names: ['.env', '.env.*'] });
  if (/^(?:docker|podman|nerdctl)$/.test(name)) found.push(...hidingInMounts(words, around.line));
  if (words.some((_, at) => isBind(name, words, at)))
    found.push({ what: 'reads', why: `${name} shows files in another place` });
  if (name === 'run-parts') found.push({ what: 'runs', why: 'run-parts runs what a folder holds' });
  found.push(...hidingOfViewer(name, words));
  if (name === 'git') found.push(...hidingOfGit(words, placesIn(words, around.line, false)));
  else if (name === 'xargs') found.push(...hidingInNames(words, input));
  else if (!looked.isReading) found.push(...hidingInOpenWords(name, words, around));
  return found;
}

/** Returns the hidings of what surrounds the words of a command: expansions, arithmetic, variables it sets. */
export function hidingAround(draft: Draft, around: Surroundings): Hiding[] {
  return [
    ...hidingInWords(draft.findings, around),
    ...draft.findings.assigned.flatMap(hidingInVariable),
  ];
}

/** More texts of arithmetic in one command are not looked at. */
const MAX_EVALUATED = 100;

function hidingInWords({ hidden, evaluated }: WordFindings, around: Surroundings): Hiding[] {
  const reasons = [...hidden];
  const isTooMuch = evaluated.length > MAX_EVALUATED;
  if (isTooMuch || !evaluated.every((one) => computesWithNumbers(one, around)))
    reasons.push(HIDDEN_IN_VALUES);
  return reasons.map((why) => ({ what: 'runs', why, byShell: true }));
}

/** Tells whether a program loads variables from files that it finds by itself: `node -r dotenv/config`, `deno run --env`. */
const loadsDotenv = (name: string, words: readonly Word[]): boolean =>
  !startsNothing(name) &&
  words.some(
    ({ value }) =>
      (name === 'deno' && /^--env(?:-file)?$/.test(value ?? '')) ||
      /^(?:-r|--[\w-]+=|.*\/)?dotenv(?:x|-\w+)?(?:\/(?:config|register))?$/.test(value ?? ''),
  );

/** Variables that change what `~`, relative paths, `cd` and those of git mean for the rest of the line. */
const MOVES =
  /^(?:HOME|CDPATH|PWD|OLDPWD|GIT_(?:WORK_TREE|INDEX_FILE|ICASE_PATHSPECS|DIR|COMMON_DIR|(?:ALTERNATE_)?OBJECT_DIRECTOR(?:Y|IES)))$/;

function hidingInVariable({ name, value }: Assigned): Hiding[] {
  if (MOVES.test(name)) return [{ what: 'reads', why: `setting ${name} changes what paths mean` }];
  return hidesCode(name, value)
    ? [{ what: 'runs', why: `setting ${name} can make programs run something` }]
    : [];
}

/** Tells whether a program sets variables that its words name: `env X=y`, and to bash `time X=y`, but not `nice X=y`. */
const takesVariables = (name: string): boolean =>
  name === 'time' || (RUNNERS.has(name) && !Object.hasOwn(TRANSPARENT, name));

/** Returns the variable that a word sets, be it the value of an option (`--setenv=X=y`), or a function for bash (`BASH_FUNC_x%%=`). */
function variableIn({ value, source }: Word): Assigned[] {
  const [, name, appends, text = ''] =
    /^(?:--?[\w-]+=)?(BASH_FUNC_[^=]*|[A-Za-z_]\w*)(\+?)=(.*)$/s.exec(
      value ?? source.replace(/^["']/, ''),
    ) ?? [];
  const isKnown = value !== null && appends === '';
  return name === undefined ? [] : [{ name, value: isKnown ? text : null }];
}

/** `make` takes variables as arguments: some name programs, and each may hold `$(shell …)`. It hands all of them on. */
function isEvaluatedByMake({ value, source }: Word): boolean {
  const [, name = ''] = /^["']?([\w.]+)\s*[:+?!]*=/.exec(source) ?? [];
  if (value !== null)
    return /\$[({]|^SHELL=/.test(value) || hidesCode(name, value.slice(value.indexOf('=') + 1));
  return name === 'SHELL' || programIn(name, null) !== undefined;
}

/** Builtins that set the variables their words name, and the options of theirs that take the next word. */
const SETTING_WORDS: Readonly<Record<string, RegExp>> = {
  read: /^-\w*[dinNptu]$/,
  mapfile: /^-\w*[dnOsuCc]$/,
  readarray: /^-\w*[dnOsuCc]$/,
  getopts: /^$/,
};
/** Builtins that set the variable behind an option. */
const SETTING_OPTIONS: Readonly<Record<string, RegExp>> = { printf: /^-v/, wait: /^-[fn]*p/ };

/** Returns the names of the variables that a builtin sets to values only known at run time. */
function setBy(name: string, words: readonly Word[]): string[] {
  const texts = words.map(({ value }) => value ?? '');
  const valued = Object.hasOwn(SETTING_WORDS, name) ? SETTING_WORDS[name] : undefined;
  if (valued)
    return texts.filter(
      (text, at) => at > 0 && !text.startsWith('-') && !valued.test(texts[at - 1] ?? ''),
    );
  const option = Object.hasOwn(SETTING_OPTIONS, name) ? SETTING_OPTIONS[name] : undefined;
  if (!option) return [];
  return texts.flatMap((text, at) =>
    option.test(text) ? text.replace(option, '') || (texts[at + 1] ?? '') : [],
  );
}

/** Tells whether a variable changes what runs, whatever is in it. */
function changesWhatRuns(variable: string): boolean {
  const [name = ''] = variable.split('[');
  return (
    /^(?:PATH|IFS)$/.test(name) ||
    MOVES.test(name) ||
    EVALUATED_WHEN_SET.test(name) ||
    hidesCode(name, null) ||
    programIn(name, null) !== undefined
  );
}

/** Programs that start a shell when they are given no command. It reads what they are given as input. */
const SHELL_STARTERS =
  /^(?:newgrp|script|scriptlive|su|runuser|login|unshare|nsenter|chroot|setarch|linux32|linux64|i386|x86_64|tmux|screen|ssh|parallel|sem|rush)$/;

function startsShell(name: string, words: readonly Word[], input: Input): boolean {
  if (name === 'sudo' || name === 'doas')
    return input.kind === 'text' && words.some(({ value }) => /^-\w*[si]$/.test(value ?? ''));
  if (!SHELL_STARTERS.test(name)) return false;
  const operands = words.slice(1).filter(({ value }) => !value?.startsWith('-'));
  // The operand of `ssh` is a host, that of `script` a file to write.
  const isBare = operands.length <= (/^(?:ssh|script)$/.test(name) ? 1 : 0);
  return input.kind === 'text' || (isBare && input.kind === 'unknown');
}

/** Tells whether a word is a text that the line makes, in the place of a file: `<(…)`, `--config=/dev/stdin`. */
const isMadeHere = ({ value, source }: Word): boolean =>
  value === null
    ? /^(?:--?[\w-]+=?)?["']?<\(/.test(source)
    : isStream(value.replace(/^--?[\w-]+=/, ''));

/** Options by which programs take names of files from a list, or from their input. */
const LISTS: readonly (readonly [names: RegExp, option: RegExp])[] = [
  [/^(?:bsd|g)?tar$/, /^(?:-[a-zA-Z]*T|--files-f[a-z-]*(?:=|$))/],
  [/^sort$/, /^--files0[a-z0-9-]*(?:=|$)/],
  [/^rsync$/, /^--files-f[a-z-]*(?:=|$)/],
  [/^zip$/, /^-[a-zA-Z]*@/],
  [/^git$/, /^--stdin-paths$/],
  [/^(?:cpio|pax|afio)$/, /^(?:-[a-zA-Z]*[owp]|--create$|--pass-through$)/],
];

/** Tells whether a list of names is not a file that the line names, and so may hold any. */
function isGivenList(option: RegExp, words: readonly Word[], input: Input): boolean {
  return words.some(({ value }, at) => {
    const found = option.exec(value ?? '');
    if (at === 0 || !found) return false;
    const attached = value?.slice(found[0].length) ?? '';
    const list = attached === '' ? (words[at + 1]?.value ?? null) : attached;
    const isInput = /^-[a-zA-Z]*[@owp]|^--(?:create|pass|stdin)/.test(value ?? '');
    return isInput ? input.kind !== 'none' : list === null || list === '-' || isStream(list);
  });
}

/** Tells whether a word is an address of a file with more in it than the path: escapes, patterns, what a command prints. */
const isOpenAddress = ({ value, source }: Word): boolean =>
  value === null
    ? /\bfile:/i.test(source) && /%|\[|\{(?!PWD\}|HOME\})|`|\$\((?!pwd\))/.test(source)
    : /\bfile:\/*[^\s]*[%[{]/i.test(value) || /^--proto-default=?(?:file)?$/.test(value);

/** `declare -i x` makes arithmetic of whatever `x` is set to, `declare -n` the name of another variable. */
function isUnsafeAttribute(name: string, words: readonly Word[], around: Surroundings): boolean {
  if (!/^(?:declare|typeset|local|readonly|export)$/.test(name)) return false;
  const flags = words
    .filter(({ value }) => /^[-+]\w+$/.test(value ?? ''))
    .map(({ value }) => value);
  if (flags.some((flag) => flag?.includes('n'))) return name !== 'export';
  if (!flags.some((flag) => flag?.includes('i'))) return false;
  return words.slice(1).some(({ source }) => {
    const text = /^\w+/.exec(source)?.[0];
    return text !== undefined && !computesWithNumbers({ text }, around);
  });
}

type Test = (words: readonly Word[], around: Surroundings) => boolean;

/** A word whose value may be evaluated as arithmetic, or is only known at run time. */
const isEvaluable = ({ value }: Word): boolean => value === null || /[[$`]/.test(value);

const names = (words: readonly Word[]): boolean => words.some(isEvaluable);

/** Tells whether the word behind an option, or attached to it, is one that may be evaluated. */
const behind =
  (option: RegExp): Test =>
  (words) =>
    words.some((word, at) => {
      const text = word.value ?? word.source;
      const found = option.exec(text);
      if (!found) return false;
      const attached = text.slice(found[0].length);
      const next = words[at + 1];
      return attached === '' ? next !== undefined && isEvaluable(next) : /[[$`]/.test(attached);
    });

const has =
  (option: RegExp): Test =>
  (words) =>
    words.some((word) => word.value === null || option.test(word.value));

/** Tells whether the options of a builtin may hold one that the line does not show. */
const optionsOpen: Test = (words, around) => {
  const ended = words.findIndex(({ value }) => value === '--');
  return words.slice(0, ended < 0 ? undefined : ended).some((word) => mayBeOption(word, around));
};

/** Tells whether a test may hold `-v` with a name that the line does not show. */
const isOpenTest: Test = (words, around) =>
  behind(/^-[vR]$/)(words, around) ||
  words.some((word, at) => {
    const next = words[at + 1];
    const isOperator = next !== undefined && isEvaluable(next) && !/^(?:==?|!=)$/.test(next.source);
    return mayBeOption(word, around) && (isOperator || !isOneWord(word));
  });

/** Builtins that evaluate a name or run a text, and when they may do so. */
const BUILTINS: Readonly<Record<string, Test>> = {
  test: isOpenTest,
  '[': isOpenTest,
  printf: (words, around) => behind(/^-v/)(words, around) || optionsOpen(words.slice(0, 1), around),
  read: (words, around) =>
    names(
      words.filter((word, at) => {
        const isValue = /^-\w*[dinNptu]$/.test(words[at - 1]?.value ?? '');
        return !isValue || (mayBeOption(word, around) && !isOneWord(word));
      }),
    ),
  unset: names,
  declare: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  typeset: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  local: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  readonly: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  export: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  let: (words) =>
    words.some(({ value }) => !/^\w+\s*(?:[-+*/%]?=\s*-?\d+|\+\+|--)$/.test(value ?? '')),
  mapfile: (words) => names(words) || words.some((word) => /^-\w*C/.test(word.value ?? '')),
  readarray: (words) => names(words) || words.some((word) => /^-\w*C/.test(word.value ?? '')),
  getopts: names,
  wait: (words, around) => behind(/^-[fn]*p/)(words, around) || optionsOpen(words, around),
  trap: (words, around) => words.some((word) => mayBeOption(word, around)),
  compgen: has(/^-\w*[CWFAe]/),
  complete: has(/^-\w*[CF]/),
  bind: has(/^-\w*[xf]/),
  enable: has(/^-\w*f/),
  hash: has(/^-\w*p/),
  history: has(/^-\w*[srnp]/),
  set: (words) => {
    const ended = words.findIndex(({ value }) => value === '--');
    return words
      .slice(0, ended < 0 ? undefined : ended)
      .some(({ value }) => /^(?:-\w*H\w*|histexpand|history)$/.test(value ?? ''));
  },
  fc: (words) => !words.some((word) => /^-\w*l/.test(word.value ?? '')),
  coproc: () => true,
  alias: (words) =>
    words.some(
      (word) => !/^(?:-p|[\w.:-]+(?:=[\w ./:=,@%+-]*[\w./:=,@%+-])?)$/.test(word.value ?? '$'),
    ),
  source: (words) => isStream(words[0]?.value ?? ''),
  '.': (words) => isStream(words[0]?.value ?? ''),
};

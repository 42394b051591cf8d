import path from 'node:path';
import { FILE_READERS } from '../read-only/files';
import { PLAIN_READERS } from '../read-only/system';
import { isInterpreter, withoutVersion } from './interpreters';
import type { Word } from './words';

/** The words before the command that a program starts: options without and with a value, and operands. */
interface Leading {
  readonly plain: RegExp;
  readonly valued: RegExp;
  readonly operands: number;
  /** Variables may be set in front of the command. */
  readonly sets?: true;
}

/** Wrappers that change nothing but when or how long. */
export const TRANSPARENT: Readonly<Record<string, Leading | undefined>> = {
  timeout: {
    plain: /^(--foreground|--preserve-status|-v|--verbose|-[ks].+|--(kill-after|signal)=.+)$/,
    valued: /^(-k|-s|--kill-after|--signal)$/,
    operands: 1,
  },
  time: { plain: /^-p$/, valued: /^$/, operands: 0 },
  nice: {
    plain: /^(-\d+|-n-?\d+|--adjustment=-?\d+)$/,
    valued: /^(-n|--adjustment)$/,
    operands: 0,
  },
  nohup: { plain: /^$/, valued: /^$/, operands: 0 },
  stdbuf: {
    plain: /^(-[ioe].+|--(input|output|error)=.+)$/,
    valued: /^(-[ioe]|--(input|output|error))$/,
    operands: 0,
  },
  command: { plain: /^-p$/, valued: /^$/, operands: 0 },
  builtin: { plain: /^$/, valued: /^$/, operands: 0 },
  noglob: { plain: /^$/, valued: /^$/, operands: 0 },
  xargs: { plain: /^$/, valued: /^$/, operands: 0 },
};

/** Shells, which run scripts. */
export const SHELLS = new Set(
  'bash sh zsh dash ksh mksh oksh lksh pdksh yash posh fish csh tcsh nu elvish ash rbash busybox-sh'.split(
    ' ',
  ),
);

/** Programs that run another one, with rights or surroundings of its own: rules must name them. */
export const RUNNERS = new Set(
  (
    'sudo doas su runuser pkexec env xargs exec coproc chroot unshare nsenter chrt taskset cpulimit prlimit strace ltrace gdb valgrind perf script ' +
    'parallel ssh npx bunx pnpx uvx pipx direnv devbox mise asdf nix nix-shell busybox toybox systemd-run at batch entr watchexec nodemon tmux screen ' +
    'choom sg newgrp cross-env cross-env-shell jobs ssh-agent dpkg-architecture aa-exec runcon scriptlive systemd-cat systemd-inhibit systemd-nspawn systemd-socket-activate dbus-launch lxc-execute rr bear ccache distcc sccache xterm x-terminal-emulator xinit startx pipenv pdm dotenvx envchain retry capsh logsave debconf run-parts i386 uname26 x86_64 linux-gate netns vrf ' +
    'gosu su-exec setpriv tini dumb-init proxychains proxychains4 tsocks torsocks torify faketime eatmydata nocorrect - start-stop-daemon daemonize daemon setuidgid chpst softlimit envdir catchsegv numactl cgexec schedtool trickle stress-ng dtach abduco sem rush pexec xe apply socat caffeinate setarch linux32 linux64 proot fakeroot firejail bwrap dbus-run-session xvfb-run unbuffer rlwrap chronic ts hyperfine ' +
    'timeout time nice nohup stdbuf command builtin noglob'
  ).split(' '),
);

/** Runners that hand each word on as it is: behind these options stands the program, and the rest is its own. */
export const EXACT_RUNNERS: Readonly<Record<string, Leading | undefined>> = {
  sudo: {
    plain:
      /^(?:-[AbBEHknNPS]+|--(?:askpass|background|bell|set-home|non-interactive|preserve-groups|stdin)|--(?:preserve-env|user|group|host|prompt|chdir)=.*)$/,
    valued: /^(?:-[AbBEHknNPS]*[ughpCTD]|--(?:user|group|host|prompt|chdir))$/,
    operands: 0,
    sets: true,
  },
  doas: { plain: /^-n$/, valued: /^-[uC]$/, operands: 0 },
  env: {
    plain: /^(?:-|-[i0v]+|-u.+|--(?:ignore-environment|null|debug)|--(?:unset|chdir)=.*)$/,
    valued: /^(?:-[i0v]*[uC]|--(?:unset|chdir))$/,
    operands: 0,
    sets: true,
  },
  xargs: {
    plain:
      /^(?:-[0prtx]+|-[0prtx]*(?:[nPLIsdEa].+|[eil].*)|--(?:null|interactive|no-run-if-empty|verbose|exit|replace|max-lines)|--[a-z-]+=.*)$/,
    valued: /^(?:-[0prtx]*[nPLIsdEa]|--(?:max-args|max-procs|max-chars|delimiter|arg-file))$/,
    operands: 0,
  },
  npx: {
    plain: /^(?:-y|--yes|--no|--no-install|-q|--quiet|--package=.*)$/,
    valued: /^(?:-p|--package)$/,
    operands: 0,
  },
  bunx: { plain: /^--bun$/, valued: /^(?:-p|--package)$/, operands: 0 },
  pnpx: { plain: /^$/, valued: /^$/, operands: 0 },
  uvx: {
    plain: /^(?:-q|--quiet|--(?:from|with|python)=.*)$/,
    valued: /^(?:-p|--(?:from|with|python))$/,
    operands: 0,
  },
};

/** Uses of runners that start nothing, whatever stands behind: they name sessions and packages. */
const STARTS_NOTHING: Readonly<Record<string, RegExp>> = {
  tmux: /^(?:a|at|attach|attach-session|has|has-session|ls|list-\w+|kill-\w+|detach|detach-client|switch-client|rename-\w+|select-\w+|capture-pane)(?: (?![\s\S]*(?:#\(|;|(?<!\S)-\w*E))|$)/,
  screen: /^-(?:ls|list|wipe|[dDrRx]{1,3})(?: [\w.-]+)?$/,
  mise: /^(?:install|i|use|ls|list|ls-remote|latest|plugins|where|which|current|uninstall|upgrade|outdated|prune)(?: |$)/,
  asdf: /^(?:install|list|plugin (?:add|list|remove|update)|latest|current|where|which|uninstall|global|local|set)(?: |$)/,
  devbox: /^(?:add|rm|update|search|info|list)(?: |$)/,
  pipenv: /^(?:install|uninstall|lock|sync|update|upgrade|graph)(?: |$)/,
  pdm: /^(?:add|remove|install|update|lock|sync|list|show|search)(?: |$)/,
  pipx: /^(?:install|uninstall|upgrade|list|inject|reinstall)(?: |$)/,
};

/** Tells whether a runner is used for something else than to start a program. */
export const startsNoProgram = (name: string, words: readonly Word[]): boolean =>
  Object.hasOwn(STARTS_NOTHING, name) &&
  words.every(({ value }) => value !== null) &&
  STARTS_NOTHING[name]?.test(
    words
      .slice(1)
      .map(({ value }) => value)
      .join(' '),
  ) === true;

/** Programs of which the first word behind theirs in `RUNNER_WORDS` is what they run, if it is no option. */
const RUNS_NEXT_WORD = new Set(
  'npm pnpm yarn bun bundle composer poetry uv rye rbenv pyenv nodenv'.split(' '),
);

/**
 * Returns the place of the program behind the word of `RUNNER_WORDS` at a place; null where it may be another. An option right
 * before that word may take it for its value, and behind `explore` stands a package.
 */
export function programBehind(name: string, words: readonly Word[], at: number): number | null {
  const next = words[at + 1]?.value === '--' ? at + 2 : at + 1;
  const isPlain = (word: Word | undefined) => /^[^-]/.test(word?.value ?? '');
  if (!RUNS_NEXT_WORD.has(name) || words[at]?.value === 'explore') return null;
  const isFlag = FLAG.test(words[at - 1]?.value ?? '');
  return (isPlain(words[at - 1]) || isFlag) && isPlain(words[next]) ? next : null;
}

/** Options of package managers that take no value. */
const FLAG = /^(?:-[qsvy]+|--(?:quiet|silent|verbose|offline|frozen|locked|yes|no-[a-z-]+))$/;

/** Programs that run another one after these words only. */
export const RUNNER_WORDS: Readonly<Record<string, RegExp | undefined>> = {
  git: /^(run|foreach|filter-branch)$/,
  docker: /^(exec|run|create)$/,
  'docker-compose': /^(exec|run)$/,
  lxc: /^exec$/,
  podman: /^(exec|run|create|unshare)$/,
  nerdctl: /^(exec|run|create)$/,
  kubectl: /^(exec|run|debug)$/,
  npm: /^(exec|x|explore)$/,
  pnpm: /^(exec|dlx)$/,
  yarn: /^(exec|dlx|run)$/,
  bun: /^(x|run)$/,
  bundle: /^exec$/,
  composer: /^exec$/,
  cmake: /^-E$/,
  ctest: /^--test-command$/,
  poetry: /^run$/,
  uv: /^run$/,
  rye: /^run$/,
  hatch: /^run$/,
  conda: /^run$/,
  rbenv: /^exec$/,
  pyenv: /^exec$/,
  nodenv: /^exec$/,
  fd: /^(-x|-X|--exec|--exec-batch)$/,
  fdfind: /^(-x|-X|--exec|--exec-batch)$/,
  rg: /^--pre$/,
  ip: /^exec$/,
  just: /^(-c|--command)$/,
  // Taskwarrior takes the beginning of the word.
  task: /^exec?(?:u|ut|ute)?$/,
  cargo: /^watch$/,
  rustup: /^run$/,
  brew: /^exec$/,
  snap: /^run$/,
  gem: /^exec$/,
  gh: /^ssh$/,
  launchctl: /^(asuser|bsexec|submit)$/,
};

/** Subcommands of package managers; any other first word may be a program, which they look for like a shell. */
const OWN_WORDS: ReadonlySet<string> = new Set(
  (
    'access add approve-builds audit autoclean bin build cache cat-file check ci completion config constraints create dedupe deploy dev dist-tag dlx doctor env exec explain fetch fund generate-lock-entry ' +
    'global help i import info init install install-test it licenses link list ll ln login logout ls m node npm outdated owner pack patch patch-commit patch-remove pkg plugin pm prefix prune publish r ' +
    'rebuild recursive remove repl rm root run run-script search server set setup start stage store t tag team test tst un unlink uninstall unplug up update upgrade upgrade-interactive version versions why workspace workspaces x'
  ).split(' '),
);

/** Returns where programs may stand that a package manager is given as its first word; behind an option it may be the second. */
export function directPrograms(
  name: string,
  words: readonly Pick<Word, 'value'>[],
): readonly number[] {
  if (!/^(?:yarn|pnpm|bun)$/.test(name)) return [];
  const isOption = (at: number) => words[at]?.value?.startsWith('-') === true;
  const operands = words.flatMap((_, at) => (at > 0 && !isOption(at) ? [at] : []));
  const [first = 0] = operands;
  const candidates = operands.slice(0, isOption(first - 1) ? 2 : 1);
  const own = candidates.findIndex((at) => OWN_WORDS.has(words[at]?.value ?? ''));
  return own < 0 ? candidates : candidates.slice(0, own);
}

/** Tells whether a program runs another one, or scripts. */
export const isRunner = (name: string): boolean => RUNNERS.has(name) || SHELLS.has(name);

/** Runners that no prefix rule may cover. */
export const LAUNCHERS = new Set('watch setsid ionice flock'.split(' '));

/** Programs whose plain words are names of their own and start nothing: subcommands, packages, processes, messages. */
export const NAMES_THINGS = new Set(
  (
    'git gh glab hub hg svn npm pnpm yarn bun cargo go rustup docker podman kubectl helm terraform apt apt-get apt-cache brew dnf yum apk pacman snap choco winget port pip pip3 pipx poetry uv conda ' +
    'gem bundle composer mvn gradle dotnet make gmake cmake ninja just task kill pkill killall pgrep systemctl service journalctl launchctl touch mkdir rmdir rm chmod chown chgrp truncate ' +
    'export local declare typeset readonly unset set trap read printf echo test [ [[ cd pushd popd function'
  ).split(' '),
);

/** Programs that compile, check or test what they are given, or tell of packages, and start none of it by name. */
const CHECKS_THINGS = new Set(
  (
    'gcc g++ cc c++ clang clang++ tcc ld rustc javac kotlinc tsc eslint biome prettier stylelint ruff black isort mypy flake8 pylint pyright shellcheck gofmt golangci-lint ' +
    'pytest py.test vitest jest mocha ava rspec phpunit ctest playwright cypress dpkg dpkg-query dpkg-deb rpm apt-file apt-mark'
  ).split(' '),
);

/** Tells whether the plain words of a program are names of its own that start nothing. */
export const namesThings = (name: string): boolean =>
  NAMES_THINGS.has(name) ||
  CHECKS_THINGS.has(withoutVersion(name, (one) => CHECKS_THINGS.has(one)));

/** Programs whose settings and scripts run others. */
const TAKES_SCRIPTS =
  /^(?:apt|apt-get|cmake|ninja|just|task|gradle|mvn|bundle|cargo|npm|tmux|screen)$/;

/** Programs that take files for what they are: data, keys, texts to compare, to send or to show. */
const TAKES_DATA =
  /^(?:curl|wget|https?|xh|ssh-add|ssh-keygen|openssl|age|minisign|jq|yq|dasel|mlr|xmllint|xmlstarlet|csv\w+|xsv|qsv|delta|difft|icdiff|colordiff|meld|vimdiff|bat|batcat|pygmentize|column|less|more|sponge|pbcopy|xclip|xsel|wl-copy|read|mapfile|readarray)$/;

/** Programs that take their input for what it is, whatever they do with files. */
const TAKES_TEXT = /^(?:patch|mailx?|sendmail|msmtp|xargs|npm)$/;

/** Tells whether a program may take a file that it is given for commands. Interpreters and shells are judged by their code. */
export const mayTakeCode = (name: string): boolean =>
  TAKES_SCRIPTS.test(name) ||
  !(
    NAMES_THINGS.has(name) ||
    TAKES_NAMES.test(name) ||
    TAKES_DATA.test(name) ||
    isInterpreter(name) ||
    SHELLS.has(name) ||
    RUNNERS.has(name) ||
    Object.hasOwn(PLAIN_READERS, name) ||
    Object.hasOwn(FILE_READERS, name)
  );

/** Programs that hand words on to one of the project, and the words behind which that begins; without one, behind `--`. */
const HAND_ON: Readonly<Record<string, RegExp | null>> = {
  npm: /^(?:run|run-script|rum|urn)$/,
  pnpm: /^run$/,
  yarn: /^run$/,
  bun: /^run$/,
  deno: /^(?:run|task)$/,
  go: /^run$/,
  dotnet: /^run$/,
  cargo: /^run$/,
  composer: /^(?:run|run-script)$/,
  just: null,
  task: null,
};

/** Subcommands of cargo and bun that hand words on to tests, which take them for names of theirs. */
const TESTS = /^(?:test|t|bench|nextest)$/;

/** Returns the words that a runner of scripts hands on to one, which may take them for a command. */
export function givenToScript(words: readonly (string | null)[]): readonly (string | null)[] {
  const name = path.posix.basename(words[0] ?? '');
  if (!Object.hasOwn(HAND_ON, name)) return [];
  const behind = HAND_ON[name] ?? null;
  const runs = behind === null ? -1 : words.findIndex((word) => behind.test(word ?? ''));
  const first = words.findIndex((word, at) => at > 0 && !/^[-+]/.test(word ?? ''));
  const isOwn = OWN_SCRIPTS.test(`${name} ${words[first]}`);
  const values = words.map((value) => ({ value }));
  const script = Object.hasOwn(NAMED, name) ? scriptNamed(name, words) : undefined;
  const [direct = -1] = isOwn ? [first] : (script ?? directPrograms(name, values));
  // `cargo run` and its like name no script.
  const skipped = /^(?:cargo|dotnet)$/.test(name) ? 1 : 2;
  const starts = [runs > 0 ? runs + skipped : 0, direct + 1, words.indexOf('--') + 1];
  const from = Math.min(...starts.filter((at) => at > 0));
  if (/^(?:cargo|bun)$/.test(name) && TESTS.test(words[first] ?? '')) return [];
  return words.slice(from).filter((_, at) => !CHOOSES.test(words[from + at - 1] ?? ''));
}

/** Runners whose first operand is a script with its own words behind it, and the operands that are none. */
const NAMED: Readonly<Record<string, RegExp>> = {
  composer:
    /^(?:about|archive|audit|browse|bump|c?i|check-platform-reqs|clear-?cache|cc|completion|config|create-project|depends|diagnose|dump-?autoload|exec|fund|global|help|home|info|init|install|licenses|list|outdated|prohibits|reinstall|r|remove|rm|uninstall|repository|repo|req|require|run|run-script|search|self-?update|show|status|suggests|u|update|upgrade|validate|why|why-not)$/,
  just: /^$/,
};
/** Options of such runners that take the next word. */
const VALUED = /^(?:-[dfE]|--(?:justfile|working-dir(?:ectory)?|set|dotenv-\w+|color|shell))$/;

/** Returns the place of the script that such a runner is given; none behind a word that is no script. */
function scriptNamed(name: string, words: readonly (string | null)[]): readonly number[] {
  const at = words.findIndex(
    (word, i) => i > 0 && !/^-|=/.test(word ?? '') && !VALUED.test(words[i - 1] ?? ''),
  );
  return at < 0 || NAMED[name]?.test(words[at] ?? '') ? [] : [at];
}

/** Subcommands of package managers that run, or may run, the script of their name. */
const OWN_SCRIPTS =
  /^(?:npm|pnpm|yarn|bun) (?:build|check|deploy|dev|restart|setup|start|stop|t|test|tst)$/;

/** Tells whether a program may take the text it is given as its input for commands or code. */
export function takesInputForCode(called: string): boolean {
  const name = path.posix.basename(called);
  return isInterpreter(name) || (mayTakeCode(name) && !TAKES_TEXT.test(name));
}

/** Options whose value is a text for people. */
const MESSAGE =
  /^(?:-\w*m|-t|-b|--(?:message|title|body|notes|description|comment|subject|grep|author|label))$/;

/** Options whose value is a text by which tests are chosen. */
const CHOOSES = /^(?:-[tkg]|--(?:grep|test-?name-?pattern))$/i;
/** Options of `gh` that are notes, or texts for fields of what it sends. */
const GH_TEXTS = /^(?:-[nf]|--raw-field)$/;

/** Tells whether a word of a program that starts nothing it is given is a text for people, or chooses tests. */
export function isMessage(words: readonly (string | null)[], at: number): boolean {
  const name = path.posix.basename(words[0] ?? '');
  if (!namesThings(name)) return false;
  const before = words[at - 1] ?? '';
  if (CHECKS_THINGS.has(name) && CHOOSES.test(before)) return true;
  if (name === 'gh' && GH_TEXTS.test(before)) return true;
  return MESSAGE.test(before) || /^--(?:message|title|body|grep)=/.test(words[at] ?? '');
}

/** Commands that take the names of programs for what they are: files and texts. */
export const TAKES_NAMES =
  /^(?:cp|mv|ln|tee|install|find|sed|tar|zip|dd|rsync|scp|source|\.|eval|trap|at|batch)$/;

/** Tells whether a program takes its plain words for names and texts. */
export const startsNothing = (name: string): boolean =>
  NAMES_THINGS.has(name) ||
  TAKES_NAMES.test(name) ||
  Object.hasOwn(PLAIN_READERS, name) ||
  Object.hasOwn(FILE_READERS, name);

/**
 * Returns where, among the words of a program nobody knows, a command begins that it may start: a shell, an interpreter,
 * git or a runner with words of its own. 0 when there is none.
 */
export function mayStart(name: string, words: readonly Word[]): number {
  if (startsNothing(name) || namesThings(name) || isInterpreter(name)) return 0;
  const at = words.findIndex((word, i) => {
    if (i === 0 || i === words.length - 1 || word.value === null) return false;
    const base = path.posix.basename(word.value);
    return base === 'git' || SHELLS.has(base) || RUNNERS.has(base) || isInterpreter(base);
  });
  return Math.max(at, 0);
}

/** Variables that tell programs how to print and nothing more: an allow rule holds with them in front. */
const HARMLESS = new Set(
  'CI NODE_ENV RAILS_ENV RACK_ENV APP_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME TZ PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE RUST_BACKTRACE RUST_LOG'.split(
    ' ',
  ),
);

/** Variables that make programs load or run something, or send it elsewhere. */
const DANGEROUS = new RegExp(
  '^(' +
    'PATH|CDPATH|FPATH|MODULE_PATH|IFS|ENV|HOME|SHELL|PS[0-9]|PROMPT_COMMAND|GLOBIGNORE|FIGNORE|SHELLOPTS|BASHOPTS|TMPDIR|PWD|OLDPWD|' +
    'BASH_.*|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RESOLV_.*|GIT_.*|SSH_.*|GPG_.*|' +
    'NODE_(?!ENV$).*|NPM_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$).*|PIP_.*|UV_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL.*|JAVA_.*|_JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*|' +
    'GO(FLAGS|PATH|ROOT|PROXY|ENV|TOOLCHAIN|NOSUMCHECK|INSECURE)|CGO_.*|CC|CXX|LD|AR|CFLAGS|LDFLAGS|CARGO_.*|RUSTC.*|RUSTFLAGS|MAKE.*|CMAKE_.*|' +
    '.*PAGER|.*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|LESS|MANOPT|RIPGREP_CONFIG_PATH|GREP_OPTIONS|FZF_.*|TAR_OPTIONS|ZIPOPT|UNZIP|' +
    '.*_PROXY|SSL_.*|CURL_.*|WGET.*|AWS_.*|AZURE_.*|GOOGLE_.*|KUBECONFIG|DOCKER_.*|ANTHROPIC_.*|OPENAI_.*|CLAUDE_.*|LATHE_.*' +
    ')$',
  'i',
);

/** What setting a variable can do: nothing of note, something unknown, or run code. */
export type VariableRisk = 'harmless' | 'unknown' | 'dangerous';

/** Judges `NAME=value` or `NAME+=value` as written in front of a command or on its own. */
export function variableRisk(assignment: string): VariableRisk {
  const [, name = '', value = ''] =
    /^([^=+[]*)(?:\[[^\]]*\])?\+?=?([\s\S]*)$/.exec(assignment) ?? [];
  if (DANGEROUS.test(name)) return 'dangerous';
  const zone = name === 'TZ' && /^["']?[A-Za-z][\w+-]*(\/[A-Za-z][\w+-]*){1,2}["']?$/.test(value);
  const plain = zone || (/^["']?[\w.,:+-]*["']?$/.test(value) && !value.startsWith(':'));
  return HARMLESS.has(name) && plain ? 'harmless' : 'unknown';
}

/** A shell variable of the line's own, by custom in lower case: programs do not look at it. */
export const isLocalVariable = (assignment: string): boolean =>
  /^[a-z_][a-z0-9_]*\+?=/.test(assignment);

/** `IFS=` or `IFS=,` in front of `read`: how this one call splits its line. */
export const splitsReading = (assignment: string): boolean =>
  /^IFS=["']?[^\w"'$`\\]?["']?$/.test(assignment);

import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** The command line of an interactive shell and the environment it starts with. */
export interface ShellLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const PRIVATE = { mode: 0o600 } as const;

/**
 * Returns how to start an interactive shell that says where its prompts are (OSC 133) and which folder it is in (OSC 7).
 * bash, zsh and fish read a file of ours, kept in `folder`, around the user's own; other shells start as they are.
 */
export async function launchShell(
  shell: string,
  env: Readonly<Record<string, string>>,
  folder: string,
): Promise<ShellLaunch> {
  const plain: ShellLaunch = { argv: [shell, '-i'], env };
  try {
    switch (basename(shell)) {
      case 'bash': {
        const path = await script(folder, 'lathe.bash', BASH);
        return { argv: [shell, '--rcfile', path, '-i'], env };
      }
      case 'zsh': {
        const own = join(folder, 'zsh');
        await script(own, '.zshenv', ZSH);
        const before = env['ZDOTDIR'];
        const kept = before === undefined ? {} : { LATHE_ZDOTDIR: before };
        return { argv: [shell, '-i'], env: { ...env, ...kept, ZDOTDIR: own } };
      }
      case 'fish': {
        const path = await script(folder, 'lathe.fish', FISH);
        return { argv: [shell, '-i', '-C', `source ${fishQuoted(path)}`], env };
      }
      default:
        return plain;
    }
  } catch {
    // A home that cannot be written to costs the marks, never the shell.
    return plain;
  }
}

const fishQuoted = (path: string): string => `'${path.replace(/[\\']/g, '\\$&')}'`;

async function script(folder: string, name: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  await writeFile(path, text, PRIVATE);
  return path;
}

/** Encodes the folder for a URL, byte by byte; the same in bash and zsh. */
const ENCODED_FOLDER = `  local LC_ALL=C i c n out=
  for ((i = 0; i < \${#PWD}; i++)); do
    c="\${PWD:$i:1}"
    case "$c" in
      [a-zA-Z0-9/._~-]) out="$out$c" ;;
      *) printf -v n %d "'$c"; printf -v c '%%%02X' "$((n & 255))"; out="$out$c" ;;
    esac
  done`;

/** Instead of the user's file, which it reads first. Leaves \`$?\` to what else runs before a prompt. */
const BASH = `if [ -r "$HOME/.bashrc" ]; then . "$HOME/.bashrc"; fi
__lathe_folder() {
${ENCODED_FOLDER}
  printf '\\033]7;file://%s%s\\007' "\${HOSTNAME:-}" "$out"
}
__lathe_prompt() {
  local status=$?
  printf '\\033]133;D;%s;aid=lathe\\007' "$status"
  __lathe_folder
  printf '\\033]133;A\\007'
  return "$status"
}
if [[ "$(declare -p PROMPT_COMMAND 2>/dev/null)" == 'declare -a'* ]]; then
  PROMPT_COMMAND=(__lathe_prompt "\${PROMPT_COMMAND[@]}")
else
  PROMPT_COMMAND="__lathe_prompt\${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
fi
PS0='\\e]133;C;aid=lathe\\a'"\${PS0-}"
`;

/** zsh reads it first of all; it gives the user's folder back and then reads the same file there. */
const ZSH = `if [[ -n "\${LATHE_ZDOTDIR+x}" ]]; then
  ZDOTDIR="$LATHE_ZDOTDIR"
  unset LATHE_ZDOTDIR
else
  unset ZDOTDIR
fi
if [[ -r "\${ZDOTDIR:-$HOME}/.zshenv" ]]; then . "\${ZDOTDIR:-$HOME}/.zshenv"; fi
if [[ -o interactive ]]; then
  __lathe_precmd() {
    local last=$?
    builtin emulate -L zsh -o no_multibyte -o ksh_arrays
    builtin printf '\\033]133;D;%s;aid=lathe\\007' "$last"
${ENCODED_FOLDER}
    builtin printf '\\033]7;file://%s%s\\007\\033]133;A\\007' "\${HOST:-}" "$out"
    return "$last"
  }
  __lathe_preexec() { builtin printf '\\033]133;C;aid=lathe\\007'; }
  typeset -ga precmd_functions preexec_functions
  precmd_functions=(__lathe_precmd $precmd_functions)
  preexec_functions+=(__lathe_preexec)
fi
`;

/** fish runs it after the user's files. */
const FISH = `function __lathe_prompt --on-event fish_prompt
    printf '\\033]7;file://%s%s\\007\\033]133;A\\007' (hostname) (string escape --style=url -- "$PWD")
end
function __lathe_preexec --on-event fish_preexec
    printf '\\033]133;C;aid=lathe\\007'
end
function __lathe_postexec --on-event fish_postexec
    printf '\\033]133;D;%s;aid=lathe\\007' $status
end
`;

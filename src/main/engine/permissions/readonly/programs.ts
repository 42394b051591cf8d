import { type CommandShape, text } from './shape';

/** Programs that print their version and nothing else when asked to like this, whatever the folder holds. */
const SAY_VERSION =
  'node npm npx bun deno python python3 pip pip3 cargo rustc rustup go java javac ruby gem gcc g++ cc clang clang++ make cmake ninja docker kubectl helm terraform git gh tsc php perl bash zsh sh jq yq rg fd curl wget ssh psql mysql sqlite3 redis-cli dotnet swift kotlin scala ghc lua R julia zig nim elixir tmux vim nvim emacs tar grep sed awk find ls cat sort'.split(
    ' ',
  );
/** Programs with ways of their own to ask. Python runs on with `-v`, Go and others know a subcommand. */
const OWN_WAYS: Readonly<Record<string, RegExp>> = {
  node: /^(-v|--version)$/,
  npm: /^(-v|--version)$/,
  python: /^(-V|--version)$/,
  python3: /^(-V|--version)$/,
  pip: /^(-V|--version)$/,
  pip3: /^(-V|--version)$/,
  cargo: /^(-V|--version)$/,
  rustc: /^(-V|--version)$/,
  go: /^version$/,
  java: /^-{1,2}version$/,
  javac: /^-{1,2}version$/,
  ruby: /^(-v|--version)$/,
  perl: /^(-v|--version)$/,
  php: /^(-v|--version)$/,
  make: /^(-v|--version)$/,
  tsc: /^(-v|--version)$/,
  docker: /^(-v|--version)$/,
  git: /^(-v|--version|version)$/,
  rg: /^(-V|--version)$/,
  terraform: /^(-v|--version|version)$/,
  ssh: /^-V$/,
  tmux: /^-V$/,
};

/** Whether a program with exactly this one argument only prints its version. */
export function isVersionQuery(name: string, argument: string): boolean {
  const own = Object.hasOwn(OWN_WAYS, name) ? OWN_WAYS[name] : undefined;
  if (own) return own.test(argument);
  return argument === '--version' && SAY_VERSION.includes(name);
}

const TABLE = '-aq -f: --all --filter= --format= --no-trunc --quiet';

/** Programs with subcommands that only report, with the options that keep it so. Keys are two or three words. */
export const REPORTS: Readonly<Record<string, CommandShape>> = {
  'docker ps': text('-aqls -fn: --all --no-trunc --filter= --format= --latest --quiet --size'),
  'docker images': text('-aq -f: --all --digests --filter= --format= --no-trunc --quiet'),
  'docker logs': text('-ft -n: --follow --since= --tail= --timestamps --until= --details'),
  'docker inspect': text('-s -f: --format= --size --type='),
  'docker version': text(''),
  'docker info': text('-f: --format='),
  'docker image ls': text(TABLE),
  'docker container ls': text(`${TABLE} -ns: --latest --size`),
  'docker network ls': text(TABLE),
  'docker volume ls': text(TABLE),
  'docker system df': text('-v --verbose --format='),
  'docker top': text(''),
  'docker port': text(''),
  'docker history': text('-Hq --no-trunc --quiet --format= --human'),
  'docker diff': text(''),
  'docker stats': text('-a --no-stream --all --format= --no-trunc'),
  'openssl version': text('-abdefopv'),
  'npm ls': text('-agl --all --json --long --depth= --parseable --prod --dev --global'),
  'npm list': text('-agl --all --json --long --depth= --parseable --prod --dev --global'),
  'npm root': text('-g --global'),
  'npm prefix': text('-g --global'),
  'kubectl version': text('--client -o: --output=', {
    also: (words) => words.includes('--client'),
  }),
  'ip addr': text('', { maxOperands: 1, also: (words) => words.every((w) => w === 'show') }),
  'ip a': text('', { maxOperands: 0 }),
};

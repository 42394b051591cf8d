// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { describe } from 'vitest';
import { sharedFixture, shellTests } from './support/table';

const fixture = sharedFixture();

/** Checks lines under a rule for every command and in the mode that allows everything. */
function anyhow(expected: string, lines: readonly string[]): void {
  shellTests(fixture, expected, lines, { allow: ['Bash'] });
  shellTests(fixture, expected, lines, {}, 'bypassPermissions');
}

describe('a recursive removal of names that xargs reads from a file, or that begin with a variable, asks', () => {
  anyhow('ask', [
    'echo "$X/y" | xargs -r rm -rf',
    'echo "$X/y" | xargs -n1 sudo rm -rf',
    'echo "$X/y" | xargs -I{} rm -rf {}',
    'printf "%s\\0" "$X/y" | xargs -0 rm -rf',
    'xargs rm -rf <<< "$X/y"',
    'cat <<E | xargs rm -rf\n$X/y\nE',
    'xargs rm -rf < a.txt',
    'cat a.txt | xargs rm -rf',
    'sort a.txt | uniq | xargs -n1 rm -r',
    'xargs -a list rm -rf',
    'cat list | parallel rm -rf',
    'echo $(cat list) | xargs rm -rf',
    'find "$X/y" -type d | xargs -r rm -rf',
    'find "$X/y" -type f | xargs rm -f',
    'ls | sed "s|^|$X/|" | xargs rm -rf',
    'fd . "$X/y" -X rm -rf',
  ]);
});

describe('names below a known folder may be removed, and a list of files', () => {
  anyhow('allow', [
    "find . -name '*.tmp' -print0 | xargs -0 rm -rf",
    'ls -dt build-* | tail -n +4 | xargs rm -rf --',
    "git status --porcelain | awk '{print $2}' | xargs rm -rf",
    'grep -rl TODO src | xargs rm -rf',
    'fd -t d target -X rm -rf',
    'echo a b | xargs -n1 rm -rf',
    'cat a.txt | xargs rm -f',
    'xargs -a a.txt rm',
    'docker ps -aq | xargs docker rm -f',
    'cat a.txt | xargs npm install',
  ]);
});

describe('a removal whose program or options stand in a variable asks', () => {
  anyhow('ask', [
    'RM="rm -rf"; $RM "$X/y"',
    'RM="sudo rm -r"; $RM $X/y',
    'F="-r -f"; rm $F "$X/y"',
    'rm ${F:--rf} "$X/y"',
    'rm $OPTS "$X/y"',
    'rm -f "${OPTS[@]}" "$X/y"',
    'rm "$@" $X/y',
    'c=(rm -rf); "${c[@]}" "$X/y"',
    'c=(rm -rf "$X/y"); "${c[@]}"',
    'c=(rm); c+=(-rf); "${c[@]}" "$X/y"',
    'declare -a c=(rm -rf); "${c[@]}" "$X/y"',
    'RM=rm; RM+=" -rf"; $RM "$X/y"',
    'if true; then RM="rm -rf"; fi; $RM "$X/y"',
    'O="-r"; O="$O -f"; rm $O "$X/y"',
    'bash -c \'RM="rm -rf"; $RM "$X/y"\'',
    'rm "-$F" "$X/y"',
    'CMD="rm -rf $X/y"; $CMD',
    'CMD="rm -rf $X/y"; eval "$CMD"',
    'CMD="rm -rf $X/y"; sh -c "set -e; $CMD"',
    'CMD="rm -rf $X/y"; echo "$CMD" | sh',
  ]);
  anyhow('allow', [
    'rm -f $A $B',
    'rm -f $A/a.o $B/b.o',
    'rm -f "${FILES[@]}"',
    '"$EDITOR" "$X/y"',
    'CMD="npm test"; $CMD',
    'CMD="npm run build"; $CMD -- --x "$X/y"',
    'OPTS="-la"; ls $OPTS "$X/y"',
    'CMD="ls -la $X"; $CMD',
    'CMD="npm run $X"; eval "$CMD"',
    'MSG="do not rm -rf $X/y"; git commit -m "$MSG"',
    'args=(--foo bar); npm test "${args[@]}"',
  ]);
  const lines = ['RM="rm -rf"; $RM x', 'c=(rm -rf); "${c[@]}" x', 'C="sudo rm"; ${C} x'];
  shellTests(fixture, 'deny', lines, { deny: ['Bash(rm:*)'] }, 'bypassPermissions');
});

describe('a script with variables in it asks for what it removes', () => {
  anyhow('ask', [
    'echo "rm -rf $X/y" | sh',
    'echo "rm -rf $X/y" | sudo bash',
    'printf \'rm -rf %s\\n\' "$X/y" | sh',
    'sh <<< "rm -rf $X/y"',
    'bash -s <<E\nrm -rf $X/y\nE',
    'cat <<E | sh\nls\nrm -rf "$X/y"\nE',
    '. <(echo "rm -rf $X/y")',
    'bash <(echo "rm -rf $X/y")',
    'source /dev/stdin <<< "rm -rf $X/y"',
    'at now <<< "rm -rf $X/y"',
    'bash -c "cd $X && rm -rf *"',
    'bash -c "cd $X/b && rm -rf lib"',
    'bash -c "find $X/y -delete"',
    'sh -c "git -C $X/b clean -fdx"',
    'watch "cd $X/b && rm -rf lib"',
    'eval "cd $X/b; rm -rf lib"',
  ]);
  anyhow('allow', [
    'sh <<< "rm -f $X/y"',
    'bash -c "cd $X && npm test"; rm -rf build',
    'bash -c "npm run $TASK"',
    'echo "print $X" | python3',
    'echo "rm -rf $X/y"',
    'psql <<E\nselect $X;\nE',
  ]);
  const pushes = ['bash -c "git push $X"', 'echo "git push $X" | sh', 'watch "git push $X"'];
  shellTests(fixture, 'deny', pushes, { deny: ['Bash(git push:*)'] }, 'bypassPermissions');
});

describe('a removal in a folder that is at the root of the disk when a variable is empty asks', () => {
  anyhow('ask', [
    'cd "$X/build" && rm -rf lib',
    'cd "$X"/; rm -rf y',
    'cd "${X:-}/b" && cd sub && rm -rf lib',
    'pushd $X/b; rm -rf ./lib',
    '(cd "$X/b"; rm -rf *.o)',
    'cd "$X/b" && git clean -fdx',
    'cd "$X/b" && find lib -type f -delete',
    'cd "$X/b" && chmod -R 777 lib',
    'env -C "$X/b" rm -rf lib',
    'env --chdir="$X/b" rm -rf lib',
    'sudo -u me -D "$X/b" rm -rf lib',
    'cd "$X$Y/b" && rm -rf lib',
    'D="$X/b"; cd "$D" && rm -rf lib',
    'rm -rf "build/$X/../.."',
  ]);
  const lines = [
    'cd "$X/b" && rm -f lib.o',
    'cd "$X/b" && npm ci && npm run build',
    'cd "$X/b" && cd /tmp && rm -rf "$PWD/x"',
    'cd "$HOME/x" && rm -rf lib',
    'cd "${X:?}/b" && rm -rf lib',
    'for d in a b; do cd "$d/x" && rm -rf dist; done',
    'for d in packages/*; do rm -rf "$d/dist"; done',
    'env -C "$X/b" npm test',
    'docker run -v "$X/b:/w" -w /w alpine rm -rf lib',
  ];
  shellTests(fixture, 'allow', lines, {}, 'bypassPermissions');
});

describe('other programs and languages that remove folders ask as rm does', () => {
  anyhow('ask', [
    'npx rimraf "$X/y"',
    'cat list | xargs npx rimraf',
    'trash "$X/y"',
    'gio trash "$X/y"',
    'cmake -E remove_directory "$X/y"',
    'rclone purge "$X/y"',
    'rclone delete "$X/y" --min-age 1d',
    'rclone purge /',
    'npx rimraf ~',
    'trash ..',
    'gio trash /usr',
    'python3 -c "import shutil; shutil.rmtree(\'/\')"',
    'python3 -c "import os, shutil; shutil.rmtree(os.path.expanduser(\'~\'))"',
    'node -e \'fs.rmSync("..", {recursive: true})\'',
    'node -e \'fs.rmSync(path.resolve("/"), {recursive: true})\'',
    'node -e \'fs.rmSync(path.resolve(__dirname, ".."), {recursive: true})\'',
    'node -e \'rimraf.sync("/")\'',
    'python3 -c "import shutil; shutil.rmtree(Path(\'~\').expanduser())"',
    'python3 -c "import shutil; shutil.rmtree(path=\'/\')"',
    'ruby -rfileutils -e "FileUtils.rm_rf \'/\'"',
    'ruby -rfileutils -e "FileUtils.rm_rf([\'/\'])"',
    'rsync -a --remove-source-files "$X/a/" b/',
    'make CLEAN="rm -rf $X/y" clean',
    'python3 -c "import shutil; shutil.rmtree(\'$X/y\')"',
    'python3 <<E\nimport shutil\nshutil.rmtree("$X/y")\nE',
    "python3 -c \"import shutil,os; shutil.rmtree(os.environ['X'] + '/y')\"",
    'perl -MFile::Path -e "remove_tree(\'$X/y\')"',
    'ruby -rfileutils -e "FileUtils.rm_rf(\'$X/y\')"',
    'node -e "fs.rmSync(\'$X/y\',{recursive:true})"',
    "node -e 'fs.rmSync(`${process.env.X}/y`,{recursive:true})'",
    'pwsh -c "Remove-Item -Recurse $X/y"',
  ]);
  anyhow('allow', [
    'npx rimraf "dist/$X"',
    'trash "$FILE"',
    'trash a.txt',
    "npx rimraf dist 'build/**'",
    'rclone purge "$REMOTE:x/y"',
    'rclone delete remote:x/y',
    'rclone copy "$X/y" remote:x',
    'python3 -c "import shutil; shutil.rmtree(\'/tmp/x\')"',
    'node -e \'fs.rmSync(path.join("/", "tmp", "x"), {recursive: true})\'',
    'rsync -a --remove-source-files a/ b/',
    'make DESTDIR="$X/y" install',
    "python3 -c \"import shutil; shutil.rmtree('build'); print('$X')\"",
    'node -e "fs.rmSync(\'dist/\' + process.env.V, {recursive: true})"',
    'grep -rn "shutil.rmtree" src',
    'node -e \'fs.rmSync(path.resolve(__dirname, "..", "dist"), {recursive: true})\'',
    "python3 -c \"import shutil; shutil.rmtree(Path('..') / 'build')\"",
    "python3 -c \"import shutil; shutil.rmtree(name.replace('/', '-'))\"",
    'python3 -c "import shutil; shutil.rmtree(name.strip(\'/\'))"',
    'node -e \'rimraf(dir, () => console.log("."))\'',
  ]);
});

describe('what find removes below a folder of unknown name asks, whatever its options', () => {
  anyhow('ask', [
    'find "$X/y" -type f -exec rm -f {} \\;',
    'find "$X/y" -exec sh -c "rm -rf {}" \\;',
    'find "$X/y" -name "*.o" -execdir rm {} +',
    'find -L a "$X/y" -exec sudo rm {} +',
    'fd -t f . "$X/y" -x rm',
  ]);
  anyhow('allow', [
    'find "$X" -type f -newer a',
    'find "$X" -name "*.log" -print',
    'find "$X" -type f -exec grep -l foo {} +',
    'find build -name "$P" -exec rm -f {} +',
    'fd "$NAME" -x wc -l',
  ]);
});

describe('a program of a removal that is printed, given as an argument, or stands in for another one asks', () => {
  anyhow('ask', [
    'set -- rm -rf; "$@" "$X/y"',
    'set -- rm -rf; $1 $2 "$X/y"',
    'set -- -rf "$X/y"; rm "$@"',
    'RM=$(echo rm -rf); $RM "$X/y"',
    'RM=`which rm`; $RM -rf "$X/y"',
    'RM=$(command -v rm); "$RM" -r "$X/y"',
    '$(printf %s rm) -r "$X/y"',
    '${RM:-rm} -r "$X/y"',
    '"${RM-rm}" -r "$X/y"',
    'R=r; M=m; $R$M -r "$X/y"',
    '$RM -rf "$X/y"',
    '$RM -r -f "$X/y"',
    '$RM -rf "$X/y" build',
    '"$RM" -r -- "$X/y"',
    '$SUDO ${RM_CMD} -Rf "$X/y" a b',
    '$Q -r -f "$X/y"',
    'deno eval "Deno.removeSync(\'$X/y\', {recursive: true})"',
    'safe-rm -rf "$X/y"',
  ]);
  anyhow('allow', [
    'set -euo pipefail; npm ci',
    'set -- a b; for f in "$@"; do echo "$f/x"; done',
    'PY=$(which python3); "$PY" -m pytest "$X/y"',
    '${PYTHON:-python3} -m pip install -r "$X/requirements.txt"',
    '$GREP -r "$X/y"',
    '$CP -fR "$A/" "$B/"',
    '$CP -rf "$A/x" dist',
    '$Q -rf "$A/x" dist',
    '$RM -f "$X/y.o"',
    '$RM -rf build',
    'MSG=$(echo rm -rf); echo "$MSG" "$X/y"',
    'CP="cp -rf"; $CP "$X/y" out',
  ]);
});

describe('archivers that remove what they pack, and programs of GNU under other names, ask', () => {
  anyhow('ask', [
    'tar --remove-files -cf a.tar -C "$X/b" .',
    'tar --remove-files -cf a.tar --directory="$X/b" .',
    'gtar cf a.tar "$X/b" --remove-files',
    'zip -rm a.zip "$X/b"',
    '7z a -sdel a.7z "$X/b"',
    'gfind "$X/b" -delete',
    'gfind "$X/b" -exec grm {} +',
    'gchmod -R 777 "$X/b"',
    'gxargs grm -rf < a.txt',
  ]);
  anyhow('allow', [
    'tar --remove-files -czf "$OUT/logs.tgz" logs',
    'tar -czf "$OUT/a.tgz" -C "$X/b" .',
    'zip -rm "$OUT/a.zip" dist',
    'zip -r a.zip "$X/b"',
    '7z a -sdel "$OUT/a.7z" dist',
    "gfind . -name '*.o' -delete",
    'gfind "$X" -name "*.o"',
    'gxargs -n1 echo < a.txt',
  ]);
});

describe('a folder that the line has made by mktemp may be removed, and nothing else by its variable', () => {
  anyhow('allow', [
    'tmp=$(mktemp -d); rm -rf "$tmp"',
    'T=$(mktemp -d) && cp a.txt "$T/" && rm -rf "$T"',
    'tmp=$(mktemp -d /tmp/x.XXX); trap \'rm -rf "$tmp"\' EXIT; ls',
    'set -eu; tmp="$(mktemp -d)"\nls\nrm -rf "${tmp}"',
    'tmp=$(mktemp -d) || exit 1; rm -rf "$tmp"',
    'tmp=$(mktemp -d)\nnpm start & echo "it\'s"; rm -rf "$tmp"',
    'tmp=$(mktemp -d) && ls > /dev/null 2>&1; echo ${tmp##*/}; rm -rf "$tmp"',
    'tmp=$(mktemp -d); trap "rm -rf $tmp" EXIT',
    'tmp=$(mktemp -d); trap "rm -rf \'$tmp\'" EXIT',
    'tmp=$(mktemp -d); trap "rm -rf \\"$tmp\\"" EXIT',
  ]);
  anyhow('ask', [
    'tmp=$(mktemp -d); rm -rf "$tmp/x"',
    'tmp=$(mktemp -d); trap "rm -rf $tmp/../x" EXIT',
    "tmp=$(mktemp -d); trap \"rm -rf '$tmp''/usr'\" EXIT",
    'tmp=$(mktemp -d); trap "rm -rf \\"$tmp\\"/usr" EXIT',
    '[ x ] && tmp=$(mktemp -d); trap "rm -rf $tmp" EXIT',
    'tmp=$(mktemp -d); rm -rf "$tmp"/*',
    'tmp=$(mktemp -d); rm -rf "$tmp" "$X/y"',
    'tmp=$(mktemp -d || echo /); rm -rf "$tmp"',
    'tmp=$(mktemp -d); tmp=$X/y; rm -rf "$tmp"',
    'tmp=$(mktemp -d); read tmp; rm -rf "$tmp"',
    'rm -rf "$tmp"; tmp=$(mktemp -d)',
    '[ x ] && tmp=$(mktemp -d); rm -rf "$tmp"',
    'if x; then tmp=$(mktemp -d); fi; rm -rf "$tmp"',
    'tmp=$(mktemp -d) rm -rf "$tmp"',
    'tmp=$(mktemp -d); rm -rf $tmp""/*',
    'tmp=$(mktemp -d); rm -rf "$tmp""/usr"',
    'tmp=$(mktemp -d); rm -rf "$tmp"\'/usr\'',
    'tmp=$(mktemp -d); rm -rf $tmp"/usr"',
    'tmp=$(mktemp -d); rm -rf "it\'s" "$tmp"\'/usr\'',
    'tmp=$(mktemp -d); : ${tmp:=/}; rm -rf "$tmp"',
    'tmp=$(mktemp -d); : ${tmp=/}; rm -rf "$tmp"',
    'tmp=$(mktemp -d); printf -vtmp /; rm -rf "$tmp"',
    "tmp=$(mktemp -d); read t''mp <<< /; rm -rf $tmp",
    'tmp=$(mktemp -d); read t\\mp <<< /; rm -rf "$tmp"',
    'D=$(mktemp -d) | cat; rm -rf "$D"',
    'tmp=$(mktemp -d) & rm -rf "$tmp"',
    'tmp=$(mktemp -d) &&\nls & rm -rf "$tmp"',
    '_=$(mktemp -d); rm -rf "$_"',
    'REPLY=$(mktemp -d); rm -rf "$REPLY"',
    'OPTARG=$(mktemp -d); rm -rf "$OPTARG"',
    'echo "; tmp=$(mktemp -d); "; rm -rf "$tmp"',
    'cat <<E\ntmp=$(mktemp -d)\nE\nrm -rf "$tmp"',
  ]);
});

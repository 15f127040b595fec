import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Git } from '../types.ts'

/**
 * The script of both push hooks. It sends git's input to the server over descriptor 3, waits for the answer on
 * descriptor 4, prints the messages and exits with the server's verdict. Git passes both descriptors on from
 * receive-pack. Any failure (no descriptors, the server ended) refuses the push.
 *
 * Windows passes no descriptors on. There, FORGE_HOOK_PIPE is the name of a pipe, and FORGE_HOOK_NODE the path of a Node
 * executable (the app's own, with ELECTRON_RUN_AS_NODE) that does the same over the pipe. This is tested over a Unix
 * socket only, not on Windows.
 */
const SCRIPT = `#!/bin/sh
case $0 in
  */pre-receive) hook=pre ;;
  *) hook=post ;;
esac
if [ -n "\${FORGE_HOOK_PIPE:-}" ]; then
  exec "$FORGE_HOOK_NODE" "$FORGE_HOOK_CLIENT" $hook
fi
{
  printf 'hook %s\\n' $hook
  for name in GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES; do
    eval "content=\\\${$name:-}"
    printf 'env %s=%s\\n' $name "$content"
  done
  count=0
  while [ $count -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ]; do
    eval "content=\\$GIT_PUSH_OPTION_$count"
    case $content in *'
'*)
      echo 'A push option may not have several lines.' >&2
      exit 1 ;;
    esac
    printf 'option %s\\n' "$content"
    count=$((count + 1))
  done
  # The shell itself copies the first lines, because starting a program takes longer and most pushes have few lines.
  count=0
  while [ $count -lt 8 ] && IFS= read -r line; do
    printf '%s\\n' "$line"
    count=$((count + 1))
  done
  [ $count -lt 8 ] || cat || exit 1
  printf 'end\\n'
} >&3 || exit 1
while IFS= read -r line <&4; do
  case $line in
    ok) exit 0 ;;
    reject) exit 1 ;;
    *) printf '%s\\n' "\${line#message }" >&2 ;;
  esac
done
exit 1
`

/** The same program in JavaScript, for FORGE_HOOK_NODE. */
const CLIENT = `'use strict'
const net = require('node:net')
const env = process.env
const report = []
report.push('token ' + env.FORGE_HOOK_TOKEN, 'hook ' + process.argv[2])
for (const name of ['GIT_QUARANTINE_PATH', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES']) {
  report.push('env ' + name + '=' + (env[name] || ''))
}
for (let n = 0; n < Number(env.GIT_PUSH_OPTION_COUNT || 0); n += 1) {
  const option = env['GIT_PUSH_OPTION_' + n]
  if (option.includes('\\n')) {
    console.error('A push option may not have several lines.')
    process.exit(1)
  }
  report.push('option ' + option)
}
const socket = net.connect(env.FORGE_HOOK_PIPE)
socket.write(report.join('\\n') + '\\n')
process.stdin.on('data', (chunk) => socket.write(chunk))
process.stdin.on('end', () => socket.write('end\\n'))
const incomplete = { text: '' }
socket.setEncoding('utf8')
socket.on('data', (chunk) => {
  const lines = (incomplete.text + chunk).split('\\n')
  incomplete.text = lines.pop()
  for (const line of lines) {
    if (line === 'ok') process.exit(0)
    if (line === 'reject') process.exit(1)
    process.stderr.write(line.replace(/^message /, '') + '\\n')
  }
})
socket.on('error', () => process.exit(1))
socket.on('close', () => process.exit(1))
`

/**
 * The folder with the hooks, which are written on first use. Throws when they are not executable, because git would
 * silently skip them and with them every check of a push.
 */
export async function hooksFolder(git: Git): Promise<string> {
  const folder = await git.hooks.folder()
  for (const hook of ['pre-receive', 'post-receive']) await access(path.join(folder, hook), constants.X_OK)
  return folder
}

/** The path of the program for FORGE_HOOK_NODE, in the folder of the hooks. */
export function hookClient(folder: string): string {
  return path.join(folder, 'client.cjs')
}

/** The hooks of an engine. All variants of the engine (see forClient) share them. */
export class PushHooks {
  readonly #folder: string
  #writing: Promise<string> | undefined

  constructor(home: string) {
    this.#folder = path.join(home, 'hooks')
  }

  /** The folder with the hooks. The first call writes them; after a failure the next call tries again. */
  folder(): Promise<string> {
    return (this.#writing ??= writeAll(this.#folder).catch((error: unknown) => {
      this.#writing = undefined
      throw error
    }))
  }
}

async function writeAll(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await replaceFile(path.join(folder, 'pre-receive'), SCRIPT)
  await replaceFile(path.join(folder, 'post-receive'), SCRIPT)
  await replaceFile(hookClient(folder), CLIENT)
  return folder
}

// A push of another engine may be running the file, so a new file replaces it.
async function replaceFile(file: string, content: string): Promise<void> {
  // An unchanged file is not written, so that pushes work on a full disk.
  if ((await readFile(file, 'utf8').catch(() => undefined)) === content) return
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, content, { mode: 0o755 })
  await rename(temporary, file)
}

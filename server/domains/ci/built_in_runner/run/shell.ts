import { readdir, readFile } from 'node:fs/promises'
import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A script to run. */
export interface ShellRun {
  readonly shell: string
  /** File with the commands. */
  readonly file: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly onOutput: (bytes: Buffer) => void
}

/** How long programs get to end by themselves once they are asked to, ms. */
const GRACE_MS = 3000

/** Output that is still on its way when the shell has ended, ms. */
const DRAIN_MS = 500

/**
 * Becomes the shell of the job. A small process waits next to it that ends the whole group when descriptor 3 does, which is
 * when the instance dies, whatever it dies of; the shell does not know it and so does not wait for it. What jobs make, images
 * and packages, has the usual rights, not those of the instance's own files.
 */
const STARTER =
  'umask 022; (cat <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & exec "$0" "$1" </dev/null 2>&1 3<&-'

/**
 * Runs a script in a process group of its own, which is gone when this resolves: what the script left behind is killed, and
 * everything once `signal` is aborted. Gives the exit code, 128 and more for signals. Rejects when it cannot be started.
 */
export async function runScript({ shell, file, folder, env, signal, onOutput }: ShellRun): Promise<number> {
  if (signal.aborted) return 137
  const child = spawn('sh', ['-c', STARTER, shell, file], {
    cwd: folder,
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  })
  child.stdout!.on('data', onOutput)
  // The other end goes with the group.
  child.stdio[3]?.on('error', () => undefined)
  const stop = (): void => void endGroup(child)
  signal.addEventListener('abort', stop)
  try {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (exit, name) => resolve(exit ?? (name === 'SIGKILL' ? 137 : 143)))
    })
    killGroup(child, 'SIGKILL')
    await Promise.race([closed, sleep(DRAIN_MS)])
    return code
  } finally {
    signal.removeEventListener('abort', stop)
    child.stdout!.destroy()
    child.stdio[3]?.destroy()
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  killGroup(child, 'SIGTERM')
  const end = performance.now() + GRACE_MS
  while (performance.now() < end && child.exitCode === null && child.signalCode === null) await sleep(50)
  killGroup(child, 'SIGKILL')
}

function killGroup({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // Nobody is left.
  }
}

/** A text that the shell takes as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Stops at the first command that fails; bash also at one in the middle of a pipe. */
function strict(shell: string): string {
  return shell.endsWith('bash') ? 'set -eo pipefail\nset +o noclobber' : 'set -e'
}

/** A command as the log shows it before it runs: of several lines the first one. */
function echo(command: string): string {
  const [first, ...more] = command.trim().split('\n')
  const note = more.length > 0 ? ' # collapsed multi-line command' : ''
  return `printf '%s\\n' ${quoted(`\x1b[32;1m$ ${first}${note}\x1b[0;m`)}`
}

/** The commands of a step as one script, each shown before it runs; with `isTraced` the shell itself shows what it does. */
export function scriptOf(shell: string, commands: readonly string[], isTraced = false): string {
  const lines = commands.flatMap((command) => [echo(command), command])
  return `${[strict(shell), ...(isTraced ? ['set -x'] : []), ...lines].join('\n')}\n`
}

/** Commands of the runner itself, which are not shown. */
export function quietScriptOf(shell: string, commands: readonly string[]): string {
  return `${[strict(shell), ...commands].join('\n')}\n`
}

/**
 * Ends programs that left the process group of their job: each has a folder of the runner in its environment. Where the
 * system does not show the environment of programs, nothing is found, and the group was all there was to end.
 */
export async function endOrphans(folder: string): Promise<void> {
  if (process.platform !== 'linux') return
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids.map(Number)) {
    if (pid !== process.pid && (await isOf(pid, folder))) end(pid)
  }
}

async function isOf(pid: number, folder: string): Promise<boolean> {
  // Of other users nothing can be read; they are none of ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  const home = environment.split('\0').find((line) => line.startsWith('CI_PROJECT_DIR='))
  return home?.startsWith(`CI_PROJECT_DIR=${Buffer.from(folder).toString('latin1')}/`) ?? false
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}

import { readdir, readFile } from 'node:fs/promises'
import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A script to run. */
export interface ShellRun {
  readonly shell: string
  /** The file with the commands. */
  readonly file: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly onOutput: (bytes: Buffer) => void
}

/** Time between the request to end and the kill, in ms. */
const GRACE_MS = 3000

/** Time to wait for pending output after the shell has ended, in ms. */
const DRAIN_MS = 500

/**
 * Starts the shell of the job, and a small watchdog process that ends the whole group when descriptor 3 closes, which
 * happens whenever the instance dies. The shell does not wait for the watchdog, because it is not its child. The umask
 * is the usual one, not the strict one of the instance, for the files that jobs build.
 */
const STARTER =
  'umask 022; (cat <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & exec "$0" "$1" </dev/null 2>&1 3<&-'

/**
 * Runs a script in a new process group. Kills what the script left behind, and everything if `signal` is aborted, so
 * the group has ended when this resolves. Resolves with the exit code; 128 and more for signals. Rejects if the script
 * cannot be started.
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
  // The other end closes with the group.
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
    // The group has no processes left.
  }
}

/** Quotes a text for the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Stops at the first failing command; bash also at one in the middle of a pipe. */
function strict(shell: string): string {
  return shell.endsWith('bash') ? 'set -eo pipefail\nset +o noclobber' : 'set -e'
}

/** A command as the log shows it: the first of several lines. */
function echo(command: string): string {
  const [first, ...more] = command.trim().split('\n')
  const note = more.length > 0 ? ' # collapsed multi-line command' : ''
  return `printf '%s\\n' ${quoted(`\x1b[32;1m$ ${first}${note}\x1b[0;m`)}`
}

/**
 * Joins the commands of a step to one script that prints each command before it runs. With `isTraced` the shell traces
 * instead.
 */
export function scriptOf(shell: string, commands: readonly string[], isTraced = false): string {
  const lines = commands.flatMap((command) => [echo(command), command])
  return `${[strict(shell), ...(isTraced ? ['set -x'] : []), ...lines].join('\n')}\n`
}

/** Commands of the runner, which are not printed. */
export function quietScriptOf(shell: string, commands: readonly string[]): string {
  return `${[strict(shell), ...commands].join('\n')}\n`
}

/**
 * Ends programs that left the process group of their job. Their environment contains a folder of the runner. On systems
 * that hide the environment of processes, this finds nothing.
 */
export async function endOrphans(folder: string): Promise<void> {
  if (process.platform !== 'linux') return
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids.map(Number)) {
    if (pid !== process.pid && (await isOf(pid, folder))) end(pid)
  }
}

async function isOf(pid: number, folder: string): Promise<boolean> {
  // A process of another user is not readable, and not ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  const home = environment.split('\0').find((line) => line.startsWith('CI_PROJECT_DIR='))
  return home?.startsWith(`CI_PROJECT_DIR=${Buffer.from(folder).toString('latin1')}/`) ?? false
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}

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

/** The time in milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 3000

/** The time in milliseconds to wait for pending output after the shell has ended. */
const DRAIN_MS = 500

/**
 * Starts the shell of the job, and a watchdog process that kills the process group when descriptor 3 closes. This
 * happens also when the instance dies. The umask is set to the usual value, because the strict umask of the instance
 * does not suit the files that jobs build.
 */
const STARTER =
  'umask 022; (cat <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 & exec "$0" "$1" </dev/null 2>&1 3<&-'

/**
 * Runs a script in a new process group, and kills the group when the script has ended or `signal` is aborted. Resolves
 * with the exit code, which is 128 or more after a signal. Rejects if the script cannot be started.
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
  // Writing fails after the group has ended, which is no error.
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
  const deadline = performance.now() + GRACE_MS
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) await sleep(50)
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

/** The settings that end a script at the first failing command, in bash also at one in a pipe. */
function strict(shell: string): string {
  return shell.endsWith('bash') ? 'set -eo pipefail\nset +o noclobber' : 'set -e'
}

/** A command that prints a command for the log. Of a command with several lines it prints the first. */
function echo(command: string): string {
  const [first, ...more] = command.trim().split('\n')
  const note = more.length > 0 ? ' # collapsed multi-line command' : ''
  return `printf '%s\\n' ${quoted(`\x1b[32;1m$ ${first}${note}\x1b[0;m`)}`
}

/**
 * Joins the commands of a step into a script that prints each command before it runs. With `isTraced` the shell also
 * traces all commands.
 */
export function scriptOf(shell: string, commands: readonly string[], isTraced = false): string {
  const lines = commands.flatMap((command) => [echo(command), command])
  return `${[strict(shell), ...(isTraced ? ['set -x'] : []), ...lines].join('\n')}\n`
}

/** Joins commands of the runner into a script that does not print them. */
export function quietScriptOf(shell: string, commands: readonly string[]): string {
  return `${[strict(shell), ...commands].join('\n')}\n`
}

/**
 * Ends programs that left the process group of their job. It finds them by the project folder in their environment,
 * which only Linux shows.
 */
export async function endOrphans(folder: string): Promise<void> {
  if (process.platform !== 'linux') return
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids.map(Number)) {
    if (pid !== process.pid && (await belongsTo(pid, folder))) kill(pid)
  }
}

async function belongsTo(pid: number, folder: string): Promise<boolean> {
  // The environment of another user's process cannot be read; such a process does not belong to the runner.
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  const projectDir = environment.split('\0').find((line) => line.startsWith('CI_PROJECT_DIR='))
  return projectDir?.startsWith(`CI_PROJECT_DIR=${Buffer.from(folder).toString('latin1')}/`) ?? false
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended in the meantime.
  }
}

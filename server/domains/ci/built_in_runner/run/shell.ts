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

/** How long programs get to end by themselves once they are told to, ms. */
const GRACE_MS = 3000
/** Output that is still on its way when the shell has ended, ms. */
const DRAIN_MS = 500

/**
 * Becomes the shell of the job. Beside it waits a small process that ends the whole group when descriptor 3 does, which is
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

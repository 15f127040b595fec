import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The time in milliseconds for programs to end without a signal. Most end when nobody reads their output any more. */
const UNSIGNALED_MS = 500
/** The time in milliseconds for git to remove its locks and temporary files after SIGTERM. */
const SIGTERM_MS = 2000
const SIGKILL_MS = 2000
const POLL_MS = 20

/**
 * Ends programs that a killed instance started and that still run, such as a fetch. They are recognized by their HOME,
 * which no other program has, or by the repository in their command line. On Windows they end with their parent. Returns
 * the number of programs that could not be ended.
 */
export async function endSurvivors(home: string, gitDirs: readonly string[]): Promise<number> {
  let survivors = await survivorsOf(home, gitDirs)
  const steps = [
    [undefined, UNSIGNALED_MS],
    ['SIGTERM', SIGTERM_MS],
    ['SIGKILL', SIGKILL_MS],
  ] as const
  for (const [signal, waitMs] of steps) {
    if (survivors.length === 0) return 0
    if (signal) for (const pid of survivors) send(pid, signal)
    const deadline = performance.now() + waitMs
    do {
      await pause(POLL_MS)
      survivors = survivors.filter((pid) => send(pid, 0))
    } while (survivors.length > 0 && performance.now() < deadline)
    // A process that ended may have started another one, and its id may belong to a different process now.
    survivors = await survivorsOf(home, gitDirs)
  }
  return survivors.length
}

/** Sends a signal; 0 only checks the process. Returns true if the process exists. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}

async function survivorsOf(home: string, gitDirs: readonly string[]): Promise<number[]> {
  if (process.platform === 'win32') return []
  const pids = process.platform === 'linux' ? await byEnvironment(home) : await byCommand(home, gitDirs)
  return pids.filter((pid) => pid !== process.pid)
}

/** Linux: processes with the HOME of the instance. Only processes of the same user can be read. */
async function byEnvironment(home: string): Promise<number[]> {
  const variable = `HOME=${home}`
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const matches = await Promise.all(
    pids.map(async (pid) => {
      // A zombie process has an empty environment.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
      return environment.split('\0').includes(variable) ? [Number(pid)] : []
    }),
  )
  return matches.flat()
}

/** macOS and other systems: processes in the list of `ps`, which has environments on some systems. */
async function byCommand(home: string, gitDirs: readonly string[]): Promise<number[]> {
  const { stdout } = await run('ps', ['-axEww', '-o', 'pid=,command='], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch(() => ({ stdout: '' }))
  const patterns = [`HOME=${home} `, ...gitDirs.flatMap((dir) => [`--git-dir=${dir} `, ` ${dir} `])]
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+)\s(.*)$/.exec(line) ?? []
    return pid && /\bgit\b/.test(command!) && patterns.some((text) => `${command} `.includes(text))
      ? [Number(pid)]
      : []
  })
}

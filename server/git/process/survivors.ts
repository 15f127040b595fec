import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Most programs end by themselves as soon as nobody reads what they say. */
const BY_THEMSELVES_MS = 500
/** Asked to end, git removes its locks and temporary files. */
const ASKED_MS = 2000
const KILLED_MS = 2000
const LOOK_MS = 20

/**
 * Ends programs that a killed instance started and that work on: a fetch goes on without whoever wanted it. They are
 * known by the HOME that only they have, or by the repository that they were started for. On Windows they end
 * with whoever started them. Returns how many could not be ended.
 */
export async function endSurvivors(home: string, gitDirs: readonly string[]): Promise<number> {
  let found = await survivorsOf(home, gitDirs)
  const steps = [
    [undefined, BY_THEMSELVES_MS],
    ['SIGTERM', ASKED_MS],
    ['SIGKILL', KILLED_MS],
  ] as const
  for (const [signal, patience] of steps) {
    if (found.length === 0) return 0
    if (signal) for (const pid of found) send(pid, signal)
    const until = performance.now() + patience
    do {
      await pause(LOOK_MS)
      found = found.filter((pid) => send(pid, 0))
    } while (found.length > 0 && performance.now() < until)
    // A process that ended may have started another one, and its number may be somebody else's by now.
    found = await survivorsOf(home, gitDirs)
  }
  return found.length
}

/** True where the process was there. */
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
  const found = process.platform === 'linux' ? await byEnvironment(home) : await byCommand(home, gitDirs)
  return found.filter((pid) => pid !== process.pid)
}

/** Linux: whoever was given our HOME. Only processes of our own user can be read. */
async function byEnvironment(home: string): Promise<number[]> {
  const wanted = `HOME=${home}`
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Empty for one that has ended and was not collected yet.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
      return environment.split('\0').includes(wanted) ? [Number(pid)] : []
    }),
  )
  return found.flat()
}

/** macOS and the like: the list of processes, with their environment where the system shows it. */
async function byCommand(home: string, gitDirs: readonly string[]): Promise<number[]> {
  const { stdout } = await run('ps', ['-axEww', '-o', 'pid=,command='], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch(() => ({ stdout: '' }))
  const wanted = [`HOME=${home} `, ...gitDirs.flatMap((one) => [`--git-dir=${one} `, ` ${one} `])]
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+)\s(.*)$/.exec(line) ?? []
    return pid && /\bgit\b/.test(command!) && wanted.some((text) => `${command} `.includes(text))
      ? [Number(pid)]
      : []
  })
}

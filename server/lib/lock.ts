import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'

import { StartupError } from './fail.ts'

/** A data folder in use by this process. */
export interface DataDirLock {
  release(): void
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it exists but belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Where the operating system says when a process started; lets a reused process id be told from the old one. */
function startOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

/**
 * Takes the data folder for this process with a lock file that names it. Throws `StartupError` when another instance
 * has it. The file of a process that is gone (a crash) is taken over.
 */
export function lockDataDir(file: string, dataDir: string): DataDirLock {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const handle = openSync(file, 'wx', 0o600)
      writeSync(handle, `${process.pid} ${startOf(process.pid)}\n`)
      closeSync(handle)
      return { release: () => rmSync(file, { force: true }) }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST')
        throw new StartupError(`The data folder ${dataDir} cannot be written: ${message}.`)
      const [pid, start] = readLock(file)
      const alive = pid > 0 && isRunning(pid) && (start === '' || startOf(pid) === start)
      if (alive)
        throw new StartupError(`Another instance (process ${pid}) already uses the data folder ${dataDir}.`)
      rmSync(file, { force: true })
    }
  }
  throw new StartupError(`Another instance is starting on the data folder ${dataDir}.`)
}

function readLock(file: string): [number, string] {
  try {
    const [pid, start] = readFileSync(file, 'utf8').trim().split(' ')
    return [Number(pid) || 0, start ?? '']
  } catch {
    return [0, '']
  }
}

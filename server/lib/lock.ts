import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

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
 * Makes the lock file with its content in one step, so that nobody reads a half-written one. False when there is one
 * already.
 */
function create(file: string): boolean {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, `${process.pid} ${startOf(process.pid)}\n`, { mode: 0o600 })
    try {
      linkSync(draft, file)
    } catch (error) {
      // A file system without hard links: copying without overwriting is the next best.
      if (!isCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP')) throw error
      copyFileSync(draft, file, constants.COPYFILE_EXCL)
    }
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Takes the file of a process that is gone out of the way. Renaming is atomic, so of several that try only one moves
 * it; one that comes late may have moved the winner's new file and puts that back.
 */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.${process.pid}.old`
  try {
    renameSync(file, aside)
    if (textOf(aside) !== stale) linkSync(aside, file)
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/**
 * Takes the data folder for this process with a lock file that names it. Throws `StartupError` when another instance
 * has it. The file of a process that is gone (a crash) is taken over.
 */
export function lockDataDir(file: string, dataDir: string): DataDirLock {
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (create(file)) return { release: () => rmSync(file, { force: true }) }
      const found = textOf(file)
      const [pid, start] = ownerIn(found)
      const alive = pid > 0 && isRunning(pid) && (start === '' || startOf(pid) === start)
      if (alive)
        throw new StartupError(`Another instance (process ${pid}) already uses the data folder ${dataDir}.`)
      removeStale(file, found)
    }
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`The data folder ${dataDir} cannot be written: ${(error as Error).message}.`)
  }
  throw new StartupError(`Another instance is starting on the data folder ${dataDir}.`)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function ownerIn(text: string): [number, string] {
  const [pid, start] = text.trim().split(' ')
  return [Number(pid) || 0, start ?? '']
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
